import type { Doable } from "../administration/doable.ts";
import type { Server } from "../server.ts";
import type { createCalls } from "../siblings/calls.ts";
import { nobody } from "./wrong-members.ts";

/** What provokes each error of what a trigger starts. */
const targets = {
  agent_not_found: { agent: { agentId: nobody } },
  conversation_not_found: { agent: { agentId: "helper", conversationId: nobody } },
  space_not_found: { agent: { agentId: "helper", spaceId: nobody } },
  api_key_not_found: { agent: { agentId: "helper" }, keyId: nobody },
  sandbox_function_not_found: { agent: null, function: { functionId: nobody } },
};

/** For each error of what a trigger starts, a call that it is answered to. */
export function wrongTriggers(
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
  const inputOf = async (name: string) => (await mutations[name]?.())?.input;
  /** A builder names the key of an admin. */
  const ofBuilder = async (name: string) => {
    const { workspaceId: wId } = server().demo;
    const { apiKeys } = calls.operator();
    const { secret } = await apiKeys.create.mutate({ wId, name: "builder", role: "builder" });
    const all = await apiKeys.list.query({ wId });
    const keyId = all.apiKeys.find(({ role }) => role === "admin")?.sId;
    return call(name, { ...(await inputOf(name)), keyId }, secret);
  };
  const entries = ["triggers.create", "triggers.update"].flatMap((name) => [
    ...Object.entries(targets).map(([type, target]) => [
      `${name} ${type}`,
      async () => call(name, { ...(await inputOf(name)), ...target }),
    ]),
    [`${name} app_auth_error`, () => ofBuilder(name)],
  ]);
  return Object.fromEntries(entries) as Record<string, () => Promise<string>>;
}
