import { type FakeService, startFakeService } from "@parley/agent/testing";
import type { AgentMessage, ResponseFormat } from "@parley/schema";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { readFrames } from "../frames.ts";
import { shareServer } from "../server.ts";
import { answersOf, createCalls, mentionOf, type SeenEvent } from "../siblings/calls.ts";

/** A model of each kind of service. */
const models = {
  openai: "gpt-5",
  anthropic: "claude-sonnet-4-5",
  google_ai_studio: "gemini-2.5-flash",
  openai_compatible: "my/own-model",
};
export type ProviderId = keyof typeof models;
const secret = "sk-not-logged";

/** The schema of the answers. */
export const city = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
/** A format of answers. */
export const format = (
  schema: Record<string, unknown> = city,
  more: object = {},
): ResponseFormat => ({
  type: "json_schema",
  schema,
  strict: undefined,
  ...more,
});
/** An answer that matches. */
export const good = '{"city": "Oslo"}';
interface Asked {
  readonly cId: string;
  readonly answers: readonly AgentMessage[];
  readonly events: readonly SeenEvent[][];
}

/** The text of each event. */
export const tokensOf = (events: readonly SeenEvent[] = []) =>
  events.flatMap(({ data }) =>
    data.type === "generation_tokens" && data["classification"] === "tokens"
      ? [String(data["text"])]
      : [],
  );
/** Starts a server whose agents answer in a format, each with a model of another service, for one suite. */
export function shareAnsweringServer() {
  let service: FakeService;
  const settings: Record<string, string> = {
    PARLEY_LEASE_MS: "60000",
    PARLEY_MODEL_RETRIES: "0",
  };
  beforeAll(async () => {
    service = await startFakeService({ apiKey: secret });
    for (const name of ["OPENAI", "ANTHROPIC", "GOOGLE_AI_STUDIO", "OPENAI_COMPATIBLE"]) {
      settings[`PARLEY_${name}_API_KEY`] = secret;
      const setting = name === "OPENAI_COMPATIBLE" ? "URL" : "BASE_URL";
      settings[`PARLEY_${name}_${setting}`] = `${service.url}/v1`;
    }
  });
  afterAll(() => service.close());

  const server = shareServer(settings);
  const calls = createCalls(server);
  const rpc = () => calls.rpc();
  const wId = () => server().demo.workspaceId;

  const agents = new Map<ProviderId, string>();
  const agentOf = (id: ProviderId) => agents.get(id) ?? "";
  const pairOf = (providerId: ProviderId) => ({ providerId, modelId: models[providerId] });

  const createAgent = async (id: ProviderId, more: object = {}): Promise<string> => {
    const model = pairOf(id);
    const draft = { wId: wId(), name: `${id} answers`, description: "", model };
    const { agentConfiguration } = await rpc().agents.create.mutate({ ...draft, ...more });
    return agentConfiguration.sId;
  };

  beforeAll(async () => {
    const simulated = { providerId: "simulated", modelId: "simulated-1" };
    const pairs = Object.keys(models).map((id) => pairOf(id as ProviderId));
    await rpc().workspaces.update.mutate({ wId: wId(), models: [simulated, ...pairs] });
    const program = {
      type: "simulated" as const,
      behaviour: { durationMs: 0, steps: [], result: "{'city': 'Oslo'}" },
    };
    const slug = "find-city";
    await rpc().sandboxFunctions.create.mutate({ wId: wId(), slug, description: slug, program });
    for (const id of Object.keys(models) as ProviderId[]) {
      agents.set(id, await createAgent(id, { responseFormat: format() }));
    }
  });
  beforeEach(() => {
    service.requests.length = 0;
    service.faults.length = 0;
    service.script = { steps: [{ text: good }], tokenDelayMs: 0 };
  });

  /** Asks, waits, and reads the answers and all of their events. */
  const ask = async (mentioned: string[], more: object = {}): Promise<Asked> => {
    const message = { content: "Which city?", mentions: mentionOf(...mentioned), ...more };
    const response = await calls.call("POST", "", { json: { message, blocking: true } });
    expect(response.text).toContain('"conversation"');
    const { conversation } = JSON.parse(response.text) as { conversation: { sId: string } };
    const answers = answersOf(await calls.get(conversation.sId));
    const events = await Promise.all(
      answers.map(async ({ sId }) => {
        const seen: SeenEvent[] = [];
        const stream = await calls.stream(`/${conversation.sId}/messages/${sId}/events`);
        for await (const { data } of readFrames(stream)) seen.push(data as unknown as SeenEvent);
        return seen;
      }),
    );
    return { cId: conversation.sId, answers, events };
  };
  /** What the steps of an answer's conversation took. */
  const tokensUsed = async (cId: string) => {
    const answer = await calls.call("GET", `/${cId}/consumption`);
    return (JSON.parse(answer.text) as { total: object }).total;
  };
  return {
    calls,
    rpc,
    wId,
    agentOf,
    pairOf,
    createAgent,
    ask,
    tokensUsed,
    service: () => service,
  };
}
