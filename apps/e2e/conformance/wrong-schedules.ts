import { createRpcClient } from "parley-client";
import type { Doable } from "../administration/doable.ts";
import type { Server } from "../server.ts";
import type { createCalls } from "../siblings/calls.ts";
import { nobody } from "./wrong-members.ts";

const launches = {
  agent_not_found: { agent: { agentId: nobody, message: "x" } },
  conversation_not_found: { agent: { agentId: "helper", message: "x", conversationId: nobody } },
  space_not_found: { agent: { agentId: "helper", message: "x", spaceId: nobody } },
  sandbox_function_not_found: { agent: null, function: { functionId: nobody } },
};

/** For each error of what a schedule starts, a call that it is answered to. */
export function wrongSchedules(
  calls: Pick<ReturnType<typeof createCalls>, "operator">,
  {
    server,
    call,
    mutations,
  }: {
    readonly server: () => Server;
    readonly call: (name: string, input: object, key?: string) => Promise<string>;
    readonly mutations: Readonly<Record<string, () => Promise<Doable>>>;
  },
): Record<string, () => Promise<string>> {
  const ofBuilder = async (name: string) => {
    const { workspaceId: wId } = server().demo;
    const { apiKeys } = calls.operator();
    const key = await apiKeys.create.mutate({ wId, name: "builder", role: "builder" });
    const all = await apiKeys.list.query({ wId });
    const admin = all.apiKeys.find(({ role }) => role === "admin");
    const keyId = admin?.sId;
    const agent = { agentId: "helper", message: "x" };
    const settings = { wId, name: "x", cron: "@daily", agent };
    if (name === "schedules.create") return call(name, { ...settings, keyId }, key.secret);
    const { schedules } = createRpcClient({ url: server().url, apiKey: key.secret });
    const { schedule } = await schedules.create.mutate(settings);
    return call(name, { wId, scheduleId: schedule.sId, version: 0, keyId }, key.secret);
  };
  const entries = ["schedules.create", "schedules.update"].flatMap((name) => [
    ...Object.entries(launches).map(([type, launched]) => [
      `${name} ${type}`,
      async () => {
        const { input } = (await mutations[name]?.()) ?? {};
        return call(name, { ...input, ...launched }, server().demo.adminKey);
      },
    ]),
    [`${name} app_auth_error`, () => ofBuilder(name)],
  ]);
  return Object.fromEntries(entries) as Record<string, () => Promise<string>>;
}
