import { execFile } from "node:child_process";
import { openAsBlob } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { createParley, createRpcClient, type Parley } from "parley-client";
import type { BenchmarkOptions } from "../options.ts";
import { type Demo, startParley } from "../parley-server.ts";
import type { Findings } from "../report.ts";
import { percentile } from "../statistics.ts";

const ROUNDS = { quick: 1, full: 3 };
/** Blocking creates of the bystander before each round. */
const CREATES = 300;
const PAUSE_MS = 20;
/** The corpus takes two minutes on two cores that are free. */
const ROUND_WITHIN_MS = 900_000;
const PROGRESS_MS = 8000;

const repository = path.join(import.meta.dirname, "../../../..");
const writer = path.join(repository, "packages/sandbox/testing/write-hostile-documents.ts");

const office = "application/vnd.openxmlformats-officedocument";
const contentTypes: Readonly<Record<string, string>> = {
  ".pdf": "application/pdf",
  ".docx": `${office}.wordprocessingml.document`,
  ".xlsx": `${office}.spreadsheetml.sheet`,
  ".rtf": "text/rtf",
};

/**
 * Measures how long a workspace waits for its answers while another has agents read documents that want too much, by
 * models that take text only. Each round is a workspace of its own, as texts are stored.
 */
export async function benchDocuments({
  postgres,
  resources,
  quick,
  print,
}: BenchmarkOptions): Promise<Findings> {
  const folder = await writeCorpus(resources);
  const database = await postgres.createDatabase(resources, "documents");
  const settings = { PARLEY_WORKSPACE_BYTES: "4000000000" };
  const { demo } = await startParley(resources, database, { settings });
  const bystander = createParley({
    baseUrl: demo.url,
    workspaceId: demo.workspaceId,
    apiKey: demo.adminKey,
  });
  await waitMs(bystander, (count) => count < CREATES);
  const usual: number[] = [];
  const beside: number[] = [];
  const rounds = quick ? ROUNDS.quick : ROUNDS.full;
  for (let round = 1; round <= rounds; round++) {
    usual.push(percentile(await waitMs(bystander, (count) => count < CREATES), 0.99));
    const reading = await readCorpus(await createReader(demo), folder, print);
    const waits = await waitMs(bystander, () => reading.left() > 0);
    const failures = await reading.ended;
    beside.push(percentile(waits, 0.99));
    print(
      `round ${round} of ${rounds}: p99 ${usual.at(-1)?.toFixed(1)} ms, then ${beside.at(-1)?.toFixed(1)} ms of ${waits.length} creates; ${failures} answers failed\n`,
    );
    if (failures > 0) throw new Error(`${failures} answers did not end well`);
  }
  return {
    questions: [
      {
        name: "p99 of blocking creates beside hostile documents of another workspace, ms",
        of: beside,
        target: { below: 100 },
      },
      { name: "the same over the usual one", of: beside, over: usual },
    ],
  };
}

/** The documents as files, which are gone with `resources`. */
async function writeCorpus(resources: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "parley-bench-documents-"));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  await promisify(execFile)(process.execPath, ["--conditions=@parley/source", writer, folder]);
  return folder;
}

/** How long each of the blocking creates takes, one after the other, in milliseconds. */
async function waitMs(parley: Parley, goesOn: (count: number) => boolean): Promise<number[]> {
  const waits: number[] = [];
  const message = { content: "Hello", mentions: [{ configurationId: "helper" }] };
  while (goesOn(waits.length)) {
    const startedAt = performance.now();
    await parley.conversations.create({ message, blocking: true });
    waits.push(performance.now() - startedAt);
    await sleep(PAUSE_MS);
  }
  return waits;
}

interface Reader {
  readonly parley: Parley;
  readonly agentId: string;
}

async function createReader({ url, operatorKey }: Demo): Promise<Reader> {
  const operator = createRpcClient({ url, apiKey: operatorKey });
  const { workspace } = await operator.workspaces.create.mutate({ name: "Reader" });
  const wId = workspace.sId;
  const key = { wId, name: "reader", role: "admin" } as const;
  const { secret: apiKey } = await operator.apiKeys.create.mutate(key);
  const about = { wId, name: "Reader", description: "Reads" };
  const model = { providerId: "simulated", modelId: "simulated-1" };
  const rpc = createRpcClient({ url, apiKey });
  const { agentConfiguration } = await rpc.agents.create.mutate({ ...about, model });
  const parley = createParley({ baseUrl: url, workspaceId: wId, apiKey });
  return { parley, agentId: agentConfiguration.sId };
}

/** Asks about all documents at once. `ended` gives how many answers failed. */
async function readCorpus(
  { parley, agentId }: Reader,
  folder: string,
  print: (text: string) => void,
): Promise<{ left: () => number; ended: Promise<number> }> {
  const fileIds: string[] = [];
  for (const fileName of (await readdir(folder)).toSorted()) {
    const contentType = contentTypes[path.extname(fileName)] ?? "";
    const content = await openAsBlob(path.join(folder, fileName), { type: contentType });
    const { file } = await parley.files.upload({ fileName, contentType, content });
    fileIds.push(file.sId);
  }
  const deadline = AbortSignal.timeout(ROUND_WITHIN_MS);
  const message = { content: "What is it?", mentions: [{ configurationId: agentId }] };
  let left = fileIds.length;
  const progress = setInterval(() => print(`${left} documents left\n`), PROGRESS_MS);
  const ask = async (fileId: string): Promise<number> => {
    try {
      const contentFragments = [{ title: "Document", fileId }];
      const { conversation } = await parley.conversations.create({ message, contentFragments });
      const messageId = conversation.content.at(-1)?.at(-1)?.sId ?? "";
      const answer = { conversationId: conversation.sId, messageId };
      const events = parley.messages.follow(answer, { signal: deadline });
      const last = (await Array.fromAsync(events)).at(-1);
      if (last?.type === "agent_message_success") return 0;
      print(`An answer ended with ${JSON.stringify(last)}\n`);
      return 1;
    } finally {
      left--;
    }
  };
  const all = Promise.all(fileIds.map(ask)).finally(() => clearInterval(progress));
  const ended = all.then((failures) => failures.reduce((sum, one) => sum + one, 0));
  // Who measures meanwhile hears of it at the end.
  ended.catch(() => {});
  return { left: () => left, ended };
}
