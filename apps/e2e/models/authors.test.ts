import { type FakeService, startFakeService } from "@parley/agent/testing";
import { createParley } from "parley-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";

// A model is told who has said what, where that does not go without saying.

let service: FakeService;
const settings: Record<string, string> = { PARLEY_OPENAI_COMPATIBLE_API_KEY: "sk-fake" };
beforeAll(async () => {
  service = await startFakeService({ apiKey: "sk-fake" });
  settings["PARLEY_OPENAI_COMPATIBLE_URL"] = `${service.url}/v1`;
});
afterAll(() => service.close());

const server = shareServer(settings);
const calls = createCalls(server);

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

test("several people and agents are named, and what was sent before stays byte for byte", async () => {
  const { workspaceId, adminKey: apiKey } = server().demo;
  const parley = createParley({ baseUrl: server().url, workspaceId, apiKey });
  const model = { providerId: "openai_compatible", modelId: "llama" };
  const rpc = calls.rpc();
  await rpc.workspaces.update.mutate({ wId: workspaceId, models: [model] });
  const create = async (name: string) => {
    const agent = { wId: workspaceId, name, description: "d", model };
    return (await rpc.agents.create.mutate(agent)).agentConfiguration.sId;
  };
  const [poet, clerk] = [await create("Poet"), await create("Clerk")];
  const said = (content: string, agent: string, fullName: string) => ({
    content,
    mentions: [{ configurationId: agent }],
    context: { username: fullName.toLowerCase(), fullName, timezone: "UTC" },
  });
  const { conversation } = await parley.conversations.create({
    message: said("One", poet, "Ann"),
    blocking: true,
  });
  const post = async (content: string, agent: string, fullName: string) => {
    const message = said(content, agent, fullName);
    await parley.messages.create({
      conversationId: conversation.sId,
      ...message,
      blocking: true,
    });
  };
  await post("Two", poet, "Ann");
  await post("Three", clerk, "Bob<b>");
  await post("Four", poet, "Ann");
  const sent = service.requests.map(({ body }) =>
    (body as unknown as Body).messages.filter(({ role }) => role !== "system"),
  );
  const user = (content: unknown) => ({ role: "user", content });
  const from = (name: string, text: string) =>
    user([
      { type: "text", text: `<message from=${name}>\n` },
      { type: "text", text },
    ]);
  const answered = (content: string) => ({ role: "assistant", content: `You said: ${content}` });
  const bob = String.raw`user "Bob\u003cb\u003e"`;
  const begun = [user("One"), answered("One"), user("Two")];
  expect(sent[1]).toEqual(begun);
  expect(sent[2]).toEqual([
    user("One"),
    from('agent "Poet"', "You said: One"),
    user("Two"),
    from('agent "Poet"', "You said: Two"),
    from(bob, "Three"),
  ]);
  expect(sent[3]?.slice(0, 3)).toEqual(begun);
  expect(sent[3]?.slice(3, 5)).toEqual([answered("Two"), from(bob, "Three")]);
  expect(JSON.stringify(sent[3]?.[5])).toContain(String.raw`<message from=agent \"Clerk\">`);
  expect(sent[3]?.at(-1)).toEqual(from('user "Ann"', "Four"));
});
