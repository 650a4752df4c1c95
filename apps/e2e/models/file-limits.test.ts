import { type FakeService, startFakeService } from "@parley/agent/testing";
import { makePdf, pageText } from "@parley/sandbox/testing";
import { createParley, type Parley } from "parley-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";

// Files past the limits of a service: it refuses each request that has them. The model is given what it takes instead,
// and the rest is named.

let service: FakeService;
const settings: Record<string, string> = {
  PARLEY_OPENAI_API_KEY: "sk-fake",
  PARLEY_ANTHROPIC_API_KEY: "sk-fake",
};
beforeAll(async () => {
  service = await startFakeService({ apiKey: "sk-fake" });
  settings["PARLEY_OPENAI_BASE_URL"] = `${service.url}/v1`;
  settings["PARLEY_ANTHROPIC_BASE_URL"] = `${service.url}/v1`;
});
afterAll(() => service.close());

const server = shareServer(settings);
const calls = createCalls(server);

const gpt = { providerId: "openai", modelId: "gpt-5" };
const claude = { providerId: "anthropic", modelId: "claude-sonnet-4-5" };
const textOnly = { providerId: "simulated", modelId: "simulated-1" };
const agents: Record<string, string> = {};
let parley: Parley;

beforeAll(async () => {
  const { workspaceId: wId, adminKey: apiKey } = server().demo;
  const rpc = calls.rpc();
  parley = createParley({ baseUrl: server().url, workspaceId: wId, apiKey });
  await rpc.workspaces.update.mutate({ wId, models: [gpt, claude, textOnly] });
  const all = {
    gpt: { model: gpt },
    claude: { model: claude },
    chain: { model: gpt, fallbackModels: [claude, textOnly] },
  };
  for (const [name, models] of Object.entries(all)) {
    // oxlint-disable-next-line no-await-in-loop
    const { agentConfiguration } = await rpc.agents.create.mutate({
      wId,
      name,
      description: "d",
      ...models,
    });
    agents[name] = agentConfiguration.sId;
  }
});

async function upload(fileName: string, contentType: string, bytes: Buffer) {
  const content = new Blob([new Uint8Array(bytes)], { type: contentType });
  const { file } = await parley.files.upload({ fileName, contentType, content });
  return { title: fileName, fileId: file.sId };
}
type Fragment = Awaited<ReturnType<typeof upload>>;

const mention = (agent: string) => [{ configurationId: agents[agent]! }];
const ask = async (agent: string, contentFragments: Fragment[]) => {
  const message = { content: "What is it?", mentions: mention(agent) };
  const created = await parley.conversations.create({ message, contentFragments, blocking: true });
  const answer = created.conversation.content.at(-1)?.at(-1);
  if (answer?.type !== "agent_message") throw new Error("no answer");
  return { created, answer, seen: service.requests.at(-1)! };
};
const askAgain = async (conversationId: string, agent: string) => {
  const posted = { conversationId, content: "And now?", mentions: mention(agent), blocking: true };
  const { agentMessages } = await parley.messages.create(posted);
  return agentMessages?.[0];
};

const png = (width: number, height: number): Buffer => {
  const bytes = Buffer.alloc(64);
  bytes.write("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1");
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
};
/** A JPEG as cameras write it: what describes the picture comes before its size. */
const jpeg = (width: number, height: number, descriptionBytes: number): Buffer => {
  const description = Buffer.alloc(4 + 60_000, 0x20);
  description.writeUInt32BE(0xff_e1_00_00 + 60_002);
  const frame = Buffer.from("ffc00011080000000003012200021101031101", "hex");
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  const descriptions = Array<Buffer>(Math.ceil(descriptionBytes / 60_000)).fill(description);
  return Buffer.concat([Buffer.from("ffd8", "hex"), ...descriptions, frame]);
};
const paper = (pages: number, text = "Page of the paper") =>
  makePdf(Array<string>(pages).fill(text === "" ? "q Q" : pageText(text)));

test("an image of more pixels than the model takes is named, now and later", async () => {
  const poster = await upload("poster.png", "image/png", png(9000, 20));
  const photo = await upload("photo.png", "image/png", png(8000, 8000));
  const { created, answer, seen } = await ask("claude", [poster, photo]);
  const reason = "it has 9000 × 20 pixels, and the model takes at most 8000 on a side";
  expect(created.warnings).toEqual([
    {
      path: "contentFragments[0]",
      message: `Only the title is given to claude (claude-sonnet-4-5): ${reason}`,
    },
  ]);
  const note = {
    code: "image_too_large",
    fileId: poster.fileId,
    title: "poster.png",
    message: `"poster.png" was not given to claude-sonnet-4-5: ${reason}`,
  };
  expect(answer).toMatchObject({ status: "succeeded", notes: [note] });
  expect(seen.files).toHaveLength(1);
  expect(JSON.stringify(seen.body)).toContain(`[Not shown to you: ${reason}]`);
  const later = await askAgain(created.conversation.sId, "claude");
  expect(later).toMatchObject({ status: "succeeded", notes: [note] });
  const other = await ask("gpt", [poster]);
  expect(other.answer).toMatchObject({ status: "succeeded" });
  expect([other.seen.files.length, other.created.warnings]).toEqual([1, undefined]);
});

test("the size of a photograph is found behind what a camera writes before it", async () => {
  const files = [
    await upload("large.jpg", "image/jpeg", jpeg(9000, 4000, 400_000)),
    await upload("small.jpg", "image/jpeg", jpeg(4000, 3000, 400_000)),
    await upload("endless.jpg", "image/jpeg", jpeg(4000, 3000, 1_200_000)),
  ];
  for (let times = 0; times < 2; times++) {
    // oxlint-disable-next-line no-await-in-loop -- the second one finds what the first one has stored
    const { created, answer, seen } = await ask("claude", files);
    expect(answer.notes?.map(({ code, title }) => [code, title])).toEqual([
      ["image_too_large", "large.jpg"],
      ["damaged", "endless.jpg"],
    ]);
    expect(seen.files).toHaveLength(1);
    expect(created.warnings?.length ?? 0).toBe(times === 0 ? 0 : 2);
  }
});

test("a PDF of more pages than the model takes is given as its text, and named", async () => {
  const long = await upload("long.pdf", "application/pdf", paper(101));
  const reason = "it has 101 pages, and the model takes at most 100";
  const first = await ask("claude", [long]);
  expect(first.created).not.toHaveProperty("warnings");
  const message = `"long.pdf" was not given to claude-sonnet-4-5: ${reason}; its text was given instead`;
  const note = { code: "too_many_pages", fileId: long.fileId, title: "long.pdf", message };
  expect(first.answer).toMatchObject({ status: "succeeded", notes: [note] });
  expect(first.seen.files).toEqual([]);
  expect(JSON.stringify(first.seen.body)).toContain("Page of the paper");
  expect(await askAgain(first.created.conversation.sId, "claude")).toMatchObject({ notes: [note] });
  // The pages are known by now.
  expect((await ask("claude", [long])).created.warnings).toEqual([
    {
      path: "contentFragments[0]",
      message: `Only the text is given to claude (claude-sonnet-4-5): ${reason}`,
    },
  ]);
});

test("a scan of more pages than the model takes is named with both reasons", async () => {
  const { answer } = await ask("claude", [
    await upload("scan.pdf", "application/pdf", paper(101, "")),
  ]);
  expect(answer.status).toBe("succeeded");
  expect(answer.notes).toMatchObject([{ code: "too_many_pages" }]);
  expect(answer.notes![0]!.message).toMatch(/101 pages, .* 100; scan\.pdf has no text: its pages/);
});

test("PDFs of more pages than one request takes are sent as far as they fit, the newest first", async () => {
  const files = [
    await upload("first.pdf", "application/pdf", paper(60, "First")),
    await upload("second.pdf", "application/pdf", paper(60, "Second")),
  ];
  const { answer, seen } = await ask("claude", files);
  expect(answer).toMatchObject({ status: "succeeded", notes: [{ code: "older_files" }] });
  expect(seen.files.map(({ name }) => name)).toEqual(["second.pdf"]);
});

test("a broken PDF is named, and not sent to a service that would refuse it each time", async () => {
  const cut = paper(3).subarray(0, 700);
  const { answer, seen } = await ask("claude", [await upload("cut.pdf", "application/pdf", cut)]);
  expect(answer).toMatchObject({ status: "succeeded", notes: [{ code: "damaged" }] });
  expect(answer.notes![0]!.message).toContain("cut.pdf is damaged or incomplete");
  expect(seen.files).toEqual([]);
});

test("a request warns of the models that may answer in place of the agent's own", async () => {
  const poster = await upload("poster.png", "image/png", png(9000, 20));
  expect((await ask("chain", [poster])).created.warnings).toEqual([
    {
      path: "contentFragments[0]",
      message:
        "Only the title is given to agents whose model does not take files of type image/png: chain (simulated-1)",
    },
    {
      path: "contentFragments[0]",
      message:
        "Only the title is given to chain (claude-sonnet-4-5): it has 9000 × 20 pixels, and the model takes at most 8000 on a side",
    },
  ]);
});
