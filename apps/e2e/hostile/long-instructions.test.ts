import { createRpcClient } from "parley-client";
import { expect, test } from "vitest";
import { pathsOf, send } from "../request.ts";
import { shareServer } from "../server.ts";

const LENGTH = 512 * 1024;
const AGENTS = 10;
const server = shareServer();

interface Configured {
  readonly instructions: string | null;
}

test("a create that mentions agents with long instructions is answered without them", async () => {
  const { url, demo } = server();
  const operator = createRpcClient({ url, apiKey: demo.operatorKey });
  const create = async (name: string, instructions: string): Promise<string> => {
    const { agentConfiguration } = await operator.agents.create.mutate({
      wId: demo.workspaceId,
      name,
      description: "Has much to say",
      instructions,
      model: { providerId: "simulated", modelId: "simulated-1" },
      script: { steps: [{ text: "Yes." }], tokenDelayMs: 0 },
    });
    return agentConfiguration.sId;
  };
  const long = "é".repeat(LENGTH);
  const names = Array.from({ length: AGENTS }, (_, index) => `long${index}`);
  const sIds = [await create("short", "Be brief")];
  // One at a time, because a batch would be too large.
  for (const name of names) sIds.push(await create(name, long));
  const mentions = sIds.map((configurationId) => ({ configurationId }));
  const json = { message: { content: "Well?", mentions }, blocking: true };
  const { conversations } = pathsOf(server());
  const created = await send(server(), { path: conversations, json });
  const { conversation } = JSON.parse(created.text) as {
    conversation: { sId: string; content: { configuration?: Configured }[][] };
  };
  const expected = ["Be brief", ...names.map(() => null)];
  const shown = (content: typeof conversation.content) =>
    content
      .flat()
      .flatMap(({ configuration }) => configuration?.instructions ?? (configuration ? [null] : []));
  expect(shown(conversation.content)).toEqual(expected);
  expect(created.text.length).toBeLessThan(100_000);

  const read = await send(server(), { path: `${conversations}/${conversation.sId}` });
  expect(
    shown((JSON.parse(read.text) as { conversation: typeof conversation }).conversation.content),
  ).toEqual(expected);

  const agents = `/api/v1/w/${demo.workspaceId}/assistant/agent_configurations`;
  const listed = await send(server(), { path: agents });
  const { agentConfigurations } = JSON.parse(listed.text) as {
    agentConfigurations: (Configured & { sId: string })[];
  };
  expect(agentConfigurations.find(({ sId }) => sId === sIds[0])?.instructions).toBe("Be brief");
  expect(agentConfigurations.find(({ sId }) => sId === sIds[1])?.instructions).toBe(null);
  const one = await send(server(), { path: `${agents}/${sIds[1]}` });
  const { agentConfiguration } = JSON.parse(one.text) as { agentConfiguration: Configured };
  expect(agentConfiguration.instructions).toBe(long);
});
