import { readdirSync, readFileSync } from "node:fs";
import { type FakeService, startFakeService } from "@parley/agent/testing";
import { makePdf, pageText } from "@parley/sandbox/testing";
import { createParley } from "parley-client";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { createCalls } from "../siblings/calls.ts";
import { createPlace, eventually, startServer } from "../server.ts";

// A server is killed at each point of an extraction: before its process, while it runs, and after it, when its text is
// about to be stored. The answer ends with the text; it is stored once, and what is not given is announced once.

const model = { providerId: "openai_compatible", modelId: "llama" };
const settingsOf = (service: FakeService) => ({
  PARLEY_LEASE_MS: "500",
  PARLEY_OPENAI_COMPATIBLE_URL: `${service.url}/v1`,
});
/** Its second page is read after two seconds or more. */
const slow = makePdf(["q Q 1 0 0 1 0 0 cm\n".repeat(300_000), pageText("Slow minutes")]);

test(
  "a kill at each point of an extraction loses and repeats nothing",
  { timeout: 180_000 },
  async () => {
    const service = await startFakeService();
    onTestFinished(service.close);
    service.script = { steps: [{ text: "Read." }], tokenDelayMs: 0 };
    const settings = settingsOf(service);
    await using place = await createPlace();
    await using resources = new AsyncDisposableStack();
    const connect = async (): Promise<pg.Client> => {
      const client = new pg.Client({ connectionString: place.databaseUrl });
      await client.connect();
      resources.defer(() => client.end());
      return client;
    };
    const [database, locker] = [await connect(), await connect()];
    const count = async (query: string): Promise<number> => {
      const { rows } = await database.query<{ count: number }>(query);
      return rows[0]!.count;
    };
    let server = await startServer(place, settings);
    const { workspaceId, adminKey: apiKey } = server.demo;
    const rpc = createCalls(() => server).rpc();
    const parley = () => createParley({ baseUrl: server.url, workspaceId, apiKey });
    await rpc.workspaces.update.mutate({ wId: workspaceId, enableModels: [model] });
    const about = { wId: workspaceId, name: "Ann", description: "", model };
    const { agentConfiguration } = await rpc.agents.create.mutate(about);
    const upload = async (fileName: string, contentType: string, bytes: Uint8Array) => {
      const content = new Blob([Buffer.from(bytes)], { type: contentType });
      const { file } = await parley().files.upload({ fileName, contentType, content });
      return { title: fileName, fileId: file.sId };
    };
    const rtf = (text: string) => Buffer.from(`{\\rtf1 ${text}}`);
    const picture = await upload(
      "cat.png",
      "image/png",
      Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    );
    const ask = async (file: { title: string; fileId: string }) => {
      const mentions = [{ configurationId: agentConfiguration.sId }];
      const message = { content: `What is ${file.title}?`, mentions };
      const contentFragments = [file, picture];
      const { conversation } = await parley().conversations.create({ message, contentFragments });
      const answer = conversation.content.at(-1)?.at(-1);
      return { conversationId: conversation.sId, messageId: answer!.sId };
    };

    async function follow(answer: { conversationId: string; messageId: string }) {
      const events = parley().messages.follow({ ...answer, include: ["notes"] });
      return Array.fromAsync(events);
    }
    // The first text of a server that is root begins with a look for a user that can read it.
    await follow(await ask(await upload("first.rtf", "text/rtf", rtf("First minutes"))));

    // While the process of this one runs, the next one waits for the place of its workspace.
    const running = await ask(await upload("slow.pdf", "application/pdf", slow));
    const left = await eventually(async () => found(extractorsOf(server.pid)[0]), 30_000);
    const waiting = await ask(await upload("quick.rtf", "text/rtf", rtf("Quick minutes")));
    const claimed = `select count(*)::int from runs where kind = 'agent_turn' and status = 'running'`;
    await eventually(async () => found((await count(claimed)) === 2 || undefined), 30_000);
    expect(extractorsOf(server.pid)).toEqual([left]);
    await server.kill();
    server = await startServer(place, settings);
    const told = [await follow(running), await follow(waiting)];

    // No row can be written, so the third one has its text and has not stored it.
    await locker.query("begin; lock table file_texts in share mode");
    const unstored = await ask(await upload("last.rtf", "text/rtf", rtf("Last minutes")));
    const blocked = `select count(*)::int from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query ~ 'insert into file_texts'`;
    await eventually(async () => found((await count(blocked)) === 1 || undefined), 30_000);
    expect(extractorsOf(server.pid)).toEqual([]);
    await server.kill();
    await locker.query("commit");
    server = await startServer(place, settings);
    told.push(await follow(unstored));

    for (const events of told) {
      expect(events.map(({ type }) => type)).toEqual([
        "generation_tokens",
        "agent_message_notes",
        "agent_message_success",
      ]);
      expect(events[1]).toMatchObject({ notes: [{ title: "cat.png" }] });
    }
    // Each answer was asked for once, with its text.
    const asked = service.requests.map(
      ({ body }) => /(First|Slow|Quick|Last) minutes/.exec(JSON.stringify(body))?.[1],
    );
    expect(asked).toHaveLength(4);
    expect(new Set(asked)).toEqual(new Set(["First", "Last", "Quick", "Slow"]));
    expect(await count("select count(*)::int from file_texts where text is not null")).toBe(4);
    expect(await count("select count(*)::int from file_texts")).toBe(4);
    // The process that was left behind has ended by itself.
    await eventually(async () => found(isRunning(left) ? undefined : true), 30_000);
    await server[Symbol.asyncDispose]();
  },
);

const found = <T>(value: T | undefined) => (value === undefined ? {} : { value });

/** The processes that extract for another process. */
function extractorsOf(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    read(`/proc/${pid}/task/${task}/children`).trim().split(" "),
  );
  return children
    .map(Number)
    .filter((child) => read(`/proc/${child}/cmdline`).includes("extract-entry"));
}

/** A process that nobody has waited for is no longer running either. */
function isRunning(pid: number): boolean {
  return /^\d+ \(.*\) [^ZX]/s.test(read(`/proc/${pid}/stat`));
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // It has ended.
    return "";
  }
}
