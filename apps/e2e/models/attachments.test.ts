import { type FakeService, startFakeService } from "@parley/agent/testing";
import { makePdf, pageText } from "@parley/sandbox/testing";
import { createParley, type Parley } from "parley-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { createShopAgents } from "../tools/shop-agent.ts";
import { shareShop } from "../tools/shop-server.ts";

// Uploaded images and PDFs reach the models that take them, as bytes; of others it is said, never silently.

let service: FakeService;
const settings: Record<string, string> = {
  PARLEY_OPENAI_API_KEY: "sk-fake",
  PARLEY_ANTHROPIC_API_KEY: "sk-fake",
  PARLEY_OPENAI_COMPATIBLE_API_KEY: "sk-fake",
  PARLEY_PRIVATE_HOSTS: "127.0.0.1",
};
beforeAll(async () => {
  service = await startFakeService({ apiKey: "sk-fake" });
  settings["PARLEY_OPENAI_BASE_URL"] = `${service.url}/v1`;
  settings["PARLEY_ANTHROPIC_BASE_URL"] = `${service.url}/v1`;
  settings["PARLEY_OPENAI_COMPATIBLE_URL"] = `${service.url}/v1`;
});
afterAll(() => service.close());

const server = shareServer(settings);
const calls = createCalls(server);
const shop = shareShop();

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const pdf = makePdf([pageText("A paper")]);

const vision = { providerId: "openai", modelId: "gpt-5" };
const reader = { providerId: "openai_compatible", modelId: "llama" };
const agents: Record<string, string> = {};
let parley: Parley;

beforeAll(async () => {
  const { workspaceId: wId, adminKey: apiKey } = server().demo;
  const rpc = calls.rpc();
  parley = createParley({ baseUrl: server().url, workspaceId: wId, apiKey });
  const textOnly = { providerId: "simulated", modelId: "simulated-1" };
  const demo = { providerId: "simulated", modelId: "simulated-vision" };
  const claude = { providerId: "anthropic", modelId: "claude-sonnet-4-5" };
  const all = { vision, reader, textOnly, demo, claude };
  await rpc.workspaces.update.mutate({ wId, models: Object.values(all) });
  const { tool } = await createShopAgents(server).register(shop(), { defaultStake: "never_ask" });
  for (const [name, model] of Object.entries(all)) {
    const script = name === "demo" ? { steps: [{ text: "I see {{files}}" }] } : undefined;
    // oxlint-disable-next-line no-await-in-loop
    const { agentConfiguration } = await rpc.agents.create.mutate({
      wId,
      name,
      description: "d",
      model,
      toolIds: [tool.sId],
      ...(script && { script }),
    });
    agents[name] = agentConfiguration.sId;
  }
});

async function upload(fileName: string, contentType: string, bytes: Buffer): Promise<string> {
  const content = new Blob([new Uint8Array(bytes)], { type: contentType });
  const { file } = await parley.files.upload({ fileName, contentType, content });
  return file.sId;
}

const ask = async (agent: string, fragments: { title: string; fileId: string }[]) =>
  parley.conversations.create({
    message: { content: "What is it?", mentions: [{ configurationId: agents[agent]! }] },
    contentFragments: fragments,
    blocking: true,
  });
type Created = Awaited<ReturnType<typeof ask>>;
const askAgain = async ({ conversation }: Created, agent: string) =>
  parley.messages.create({
    conversationId: conversation.sId,
    content: "And now?",
    mentions: [{ configurationId: agents[agent]! }],
    blocking: true,
  });
const answerOf = ({ conversation }: Created) => {
  const message = conversation.content.at(-1)?.at(-1);
  if (message?.type !== "agent_message") throw new Error("no answer");
  return message;
};

describe("an uploaded image and a PDF", () => {
  let fragments: { title: string; fileId: string }[];
  beforeAll(async () => {
    fragments = [
      { title: "A cat", fileId: await upload("cat.png", "image/png", png) },
      { title: "A paper", fileId: await upload("paper.pdf", "application/pdf", pdf) },
    ];
  });

  test.each(["vision", "claude"])("reach the %s model as bytes", async (agent) => {
    const created = await ask(agent, fragments);
    expect(answerOf(created)).toMatchObject({ status: "succeeded" });
    expect(answerOf(created)).not.toHaveProperty("notes");
    expect(created).not.toHaveProperty("warnings");
    const seen = service.requests.at(-1)!;
    expect(
      seen.files.map(({ contentType, bytes }) => [contentType, bytes.toString("hex")]),
    ).toEqual([
      ["image/png", png.toString("hex")],
      ["application/pdf", pdf.toString("hex")],
    ]);
    expect(JSON.stringify(seen.body)).not.toMatch(/https?:\/\//);
    // They stay in the conversation.
    await askAgain(created, agent);
    expect(service.requests.at(-1)!.files).toHaveLength(2);
  });

  test("can be tried without a key", async () => {
    expect(answerOf(await ask("demo", fragments)).content).toBe(
      `I see cat.png (image/png, ${png.length} bytes), paper.pdf (application/pdf, ${pdf.length} bytes)`,
    );
  });

  test("are named to a model that reads text only, in its answer and on its stream", async () => {
    const created = await ask("reader", fragments.slice(0, 1));
    const answer = answerOf(created);
    const note = {
      code: "file_type_not_taken",
      fileId: fragments[0]!.fileId,
      title: "A cat",
      message: '"A cat" was not given to llama: the model does not take files of type image/png',
    };
    expect(answer.notes).toEqual([note]);
    const seen = service.requests.at(-1)!;
    expect(seen.files).toEqual([]);
    expect(JSON.stringify(seen.body)).toContain("Not shown to you");
    const of = { conversationId: created.conversation.sId, messageId: answer.sId };
    const told = await Array.fromAsync(parley.messages.follow({ ...of, include: ["notes"] }));
    expect(told.filter(({ type }) => type === "agent_message_notes")).toMatchObject([
      { notes: [note], messageId: answer.sId },
    ]);
    const untold = parley.messages.follow(of);
    const types = (await Array.fromAsync(untold)).map(({ type }) => type);
    expect(types).not.toContain("agent_message_notes");
    expect(types.at(-1)).toBe("agent_message_success");
    // Its number is skipped: the rest keeps its own.
    expect(untold.lastEventId).toBe(String(told.length));
  });

  test("are refused in a warning where the model is known to read text only", async () => {
    const { warnings } = await ask("textOnly", fragments.slice(0, 1));
    expect(warnings).toEqual([
      {
        path: "contentFragments[0]",
        message:
          "Only the title is given to agents whose model does not take files of type image/png: textOnly (simulated-1)",
      },
    ]);
  });
});

test("a document reaches a model that reads text only as its text, and a broken one is named", async () => {
  const rtf = Buffer.from(String.raw`{\rtf1\ansi Minutes of the meeting}`);
  const fileId = await upload("minutes.rtf", "application/rtf", rtf);
  const answer = answerOf(await ask("reader", [{ title: "Minutes", fileId }]));
  expect(answer).not.toHaveProperty("notes");
  const seen = service.requests.at(-1)!;
  expect(seen.files).toEqual([]);
  expect(JSON.stringify(seen.body)).toContain("Minutes of the meeting");
  const broken = await upload("broken.pdf", "application/pdf", pdf.subarray(0, 300));
  const { notes } = answerOf(await ask("reader", [{ title: "Broken", fileId: broken }]));
  expect(notes).toMatchObject([{ fileId: broken, title: "Broken" }]);
  expect(notes![0]!.message).toContain("broken.pdf");
});

test("a file that was deleted is named", async () => {
  const fileId = await upload("gone.png", "image/png", png);
  const created = await ask("vision", [{ title: "Gone", fileId }]);
  expect(service.requests.at(-1)!.files).toHaveLength(1);
  await parley.files.delete({ fileId });
  await askAgain(created, "vision");
  expect(service.requests.at(-1)!.files).toEqual([]);
});

describe("an image that a tool returns", () => {
  const draws = {
    steps: [{ toolCalls: [{ name: "shop__picture", params: { word: "cat" } }] }, { text: "Seen" }],
    tokenDelayMs: 0,
  };
  beforeAll(() => {
    service.script = draws;
  });

  test.each(["vision", "claude"])(
    "reaches the %s model in the result of the call",
    async (agent) => {
      const created = await ask(agent, []);
      const answer = answerOf(created);
      expect(answer).toMatchObject({ status: "succeeded", content: "Seen" });
      expect(answer).not.toHaveProperty("notes");
      const { files, result } = service.requests.at(-1)!;
      await askAgain(created, agent);
      // It stays in the result, and the next answer draws another one.
      const again = service.requests.at(-1)!.files.map(({ bytes, isOfResult }) => {
        return { isOfResult, isSame: bytes.equals(png) };
      });
      expect(again).toEqual([1, 2].map(() => ({ isOfResult: true, isSame: true })));
      expect(files).toMatchObject([{ contentType: "image/png", isOfResult: true }]);
      expect(files[0]!.bytes.toString("hex")).toBe(png.toString("hex"));
      expect(result).toContain('"name":"file-1.png"');
    },
  );

  test("is named to a model that reads text only, once", async () => {
    const created = await ask("reader", []);
    const answer = answerOf(created);
    expect(answer).toMatchObject({ status: "succeeded", content: "Seen" });
    expect(answer.notes).toMatchObject([{ code: "file_type_not_taken", title: "file-1.png" }]);
    expect(service.requests.at(-1)!.files).toEqual([]);
    const of = { conversationId: created.conversation.sId, messageId: answer.sId };
    const events = parley.messages.follow({ ...of, include: ["notes"] });
    const told = (await Array.fromAsync(events)).filter(
      ({ type }) => type === "agent_message_notes",
    );
    expect(told).toMatchObject([{ step: 1, notes: answer.notes }]);
    // Nor is it given to it later, which is said, too.
    const { agentMessages } = await askAgain(created, "reader");
    expect(agentMessages?.[0]?.notes).toMatchObject([
      answer.notes![0],
      { code: "file_type_not_taken" },
    ]);
  });
});
