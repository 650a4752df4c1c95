import { type FakeService, startFakeService } from "@parley/agent/testing";
import { messages } from "@parley/db";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "../faults/stored-state.ts";
import { createPlace, type Place, type ServerProcess, startServer } from "../server.ts";
import { answersOf, createCalls, mentionOf } from "../siblings/calls.ts";

// A second question is answered with the calls and results of the first answer in the request.

const models = {
  openai: "gpt-5",
  anthropic: "claude-sonnet-4-5",
  google_ai_studio: "gemini-2.5-flash",
  mistral: "mistral-large-latest",
  openai_compatible: "my/own-model",
};
/** Those that sign what they think. */
const signing = ["openai", "anthropic", "google_ai_studio"];
const secret = "sk-not-logged";

describe("the calls of earlier answers", () => {
  let service: FakeService;
  let place: Place;
  // A process of its own: it is killed.
  let server: ServerProcess;
  const settings: Record<string, string> = { PARLEY_LEASE_MS: "1000", PARLEY_MODEL_RETRIES: "0" };
  const agents = new Map<string, string>();
  const calls = createCalls(() => server);
  const createAgent = async (
    name: string,
    pair: { providerId: string; modelId: string },
    functionIds: string[],
  ) => {
    const { agentConfiguration } = await calls.rpc().agents.create.mutate({
      wId: server.demo.workspaceId,
      name,
      description: "",
      model: { ...pair, temperature: 0.3 },
      functionIds,
    });
    agents.set(name, agentConfiguration.sId);
  };

  beforeAll(async () => {
    service = await startFakeService({ apiKey: secret });
    for (const providerId of Object.keys(models)) {
      const name = providerId.toUpperCase();
      settings[`PARLEY_${name}_API_KEY`] = secret;
      const url = `${service.url}/${providerId}/v1`;
      settings[`PARLEY_${name}_${name === "OPENAI_COMPATIBLE" ? "URL" : "BASE_URL"}`] = url;
    }
    place = await createPlace();
    server = await startServer(place, settings);
    const wId = server.demo.workspaceId;
    const rpc = calls.rpc();
    const pairs = Object.entries(models).map(([providerId, modelId]) => ({ providerId, modelId }));
    await rpc.workspaces.update.mutate({ wId, enableModels: pairs });
    for (const [slug, result] of [
      ["find-price", "{'price': $length(item)}"],
      ["read-book", "$pad('', 150000, item)"],
    ] as const) {
      const behaviour = { durationMs: 0, steps: [], result };
      const program = { type: "simulated" as const, behaviour };
      await rpc.sandboxFunctions.create.mutate({ wId, slug, description: slug, program });
    }
    for (const pair of pairs) await createAgent(pair.providerId, pair, ["find-price", "read-book"]);
    const pair = { providerId: "openai_compatible", modelId: models.openai_compatible };
    await createAgent("second", pair, ["find-price"]);
    await createAgent("without tools", pair, []);
  }, 120_000);
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await place[Symbol.asyncDispose]();
    await service.close();
  });
  beforeEach(() => {
    service.requests.length = 0;
    service.faults.length = 0;
    service.script = looking;
  });

  const looking = {
    steps: [
      {
        reasoning: "What does it cost? ",
        text: "Looking. ",
        toolCalls: [{ name: "find-price", params: { item: "tea" } }],
      },
      { text: "So: {{result}}" },
    ],
    tokenDelayMs: 0,
  };
  const agentOf = (name: string) => agents.get(name) ?? "";
  const ask = async (name: string, content = "Tea?") => {
    const { conversation } = await calls.create(content, [agentOf(name)], { blocking: true });
    return conversation.sId;
  };
  /** Asks on, and gives the first request that this leads to. */
  const askOn = async (cId: string, name: string, content = "And?") => {
    service.requests.length = 0;
    await calls.post(cId, { content, mentions: mentionOf(agentOf(name)), blocking: true });
    const answer = answersOf(await calls.get(cId)).at(-1);
    expect(answer).toMatchObject({ status: "succeeded", error: null });
    return service.requests[0]!;
  };
  const sentIn = ({ body }: FakeService["requests"][number]) =>
    JSON.stringify(body["messages"] ?? body["input"] ?? body["contents"]);
  const count = (text: string, part: string) => text.split(part).length - 1;
  const RESULT = String.raw`{\"price\":3}`;

  it.each(Object.keys(models))(
    "are in the requests to %s, with what it has signed",
    async (name) => {
      const cId = await ask(name);
      for (const question of [1, 2]) {
        const request = await askOn(cId, name, `Question ${question}`);
        const sent = sentIn(request);
        expect(request).toMatchObject({ message: `Question ${question}`, step: 0 });
        // Once as a result, and once in the text that quotes it.
        expect(count(sent, RESULT)).toBe(2 * question);
        expect(count(sent, "Looking. ")).toBe(question);
        expect(count(sent, "find-price")).toBeGreaterThanOrEqual(question);
        const signatures = count(sent, "encrypted_0") + count(sent, "signed_0");
        expect(signatures).toBe(signing.includes(name) ? question : 0);
        expect(answersOf(await calls.get(cId)).at(-1)?.content).toBe('Looking. So: {"price":3}');
      }
    },
  );

  it("are those of the current version of an edited message", async () => {
    const cId = await ask("anthropic");
    const { content } = await calls.get(cId);
    const toolCalls = [{ name: "find-price", params: { item: "coffee" } }];
    service.script = { ...looking, steps: [{ toolCalls }, { text: "Edited" }] };
    const json = { content: "Coffee?", mentions: mentionOf(agentOf("anthropic")), blocking: true };
    const edited = await calls.call("POST", `/${cId}/messages/${content[0]!.at(-1)!.sId}/edit`, {
      json,
    });
    expect(edited.status).toBe(200);
    const isOver = async () => answersOf(await calls.get(cId)).at(-1)?.content === "Edited";
    await expect.poll(isOver).toBe(true);
    const sent = sentIn(await askOn(cId, "anthropic"));
    expect(sent).toContain(String.raw`{\"price\":6}`);
    expect(sent).not.toContain(RESULT);
  });

  it("are the same in the request of a worker that takes over", async () => {
    const cId = await ask("anthropic");
    service.requests.length = 0;
    service.faults.push({ kind: "silent", afterFrames: 0 });
    const asked = Promise.withResolvers<void>();
    service.onRequest = asked.resolve;
    await calls.post(cId, { content: "And?", mentions: mentionOf(agentOf("anthropic")) });
    await asked.promise;
    service.onRequest = () => {};
    await server.kill();
    server = await startServer(place, settings);
    await expect.poll(async () => answersOf(await calls.get(cId)).at(-1)?.status).toBe("succeeded");
    const [first, second] = service.requests;
    expect(count(sentIn(first!), RESULT)).toBe(2);
    expect(second!.body).toEqual(first!.body);
  }, 60_000);

  it("are not those of another agent, nor any of one without tools: these see the text", async () => {
    const cId = await ask("openai_compatible");
    for (const name of ["second", "without tools"]) {
      service.script = { ...looking, steps: [{ text: "Fine" }] };
      const sent = sentIn(await askOn(cId, name));
      expect(sent).toContain(`Looking. So: ${RESULT}`);
      expect(sent).not.toContain("find-price");
    }
    service.script = looking;
    expect(sentIn(await askOn(cId, "openai_compatible"))).toContain("find-price");
  });

  it("are there in conversations from before steps and signatures were kept, too", async () => {
    const cId = await ask("openai");
    const database = await openDatabase(place);
    await database.db.update(messages).set({ steps: null });
    await database.close();
    const sent = sentIn(await askOn(cId, "openai"));
    expect(count(sent, RESULT)).toBe(2);
    expect(sent).not.toContain("encrypted_0");
  });

  it("are given without signatures to another model of the same agent", async () => {
    const cId = await ask("anthropic");
    const mentions = mentionOf(agentOf("anthropic"));
    const modelSelection = { providerId: "mistral", modelId: models.mistral };
    service.requests.length = 0;
    await calls.post(cId, { content: "And?", mentions, modelSelection, blocking: true });
    expect(answersOf(await calls.get(cId)).at(-1)?.status).toBe("succeeded");
    const sent = sentIn(service.requests[0]!);
    expect(count(sent, RESULT)).toBe(2);
    expect(sent).not.toContain("signed_0");
  });

  it("have long results cut, which the model reads on in", async () => {
    const toolCalls = [{ name: "read-book", params: { item: "ab" } }];
    const read = (call: string, offset: number) => {
      return [{ name: "results__read", params: { call, offset, length: 5 } }];
    };
    service.script = {
      tokenDelayMs: 0,
      steps: [{ toolCalls }, { toolCalls: read("1-0-0", 80_001) }, { text: "{{result}}" }],
    };
    const cId = await ask("openai_compatible");
    expect(answersOf(await calls.get(cId)).at(-1)?.content).toBe(
      "[Characters 80001 to 80006 of 150002]\nababa",
    );
    const [first, second] = service.requests;
    const tools = JSON.stringify(first?.body["tools"]);
    expect(tools).toContain("results__read");
    expect(sentIn(second!)).toContain("60002 of 150002 characters are left out here");
    // A later turn is given less of it.
    service.script = {
      tokenDelayMs: 0,
      steps: [
        { toolCalls: read("1-0-0", 149_999) },
        { toolCalls: read("3-0-0", 0) },
        { text: "{{result}}" },
      ],
    };
    const sent = sentIn(await askOn(cId, "openai_compatible"));
    expect(sent).toContain(String.raw`call \"1-0-0\" and offset 6000`);
    expect(sent.length).toBeLessThan(20_000);
    // A tool that appears changes how all later requests begin.
    for (const { body } of service.requests) expect(JSON.stringify(body["tools"])).toBe(tools);
    expect(answersOf(await calls.get(cId)).at(-1)?.content).toMatch(
      /^\[Characters 0 to 5 of \d+\]\n\[Char$/,
    );
  });
});
