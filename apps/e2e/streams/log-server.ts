// A process of its own, so that its memory can be told from its clients': the API on an empty
// database, and, in place of a worker, whoever tells it over IPC what to append to which log.
import { ApiSettings } from "@parley/api/config";
import { createApi } from "@parley/api";
import { appendEvents, generateApiKey, insertApiKey, inTransaction } from "@parley/core";
import {
  createTestConversation,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  testEnd,
  testToken,
} from "@parley/core/testing";
import pino from "pino";
import type { Calls, Measured } from "./start-log-server.ts";

const AGENT = "teller";

const [settings = "{}"] = process.argv.slice(2);
const test = await openTestCore();
const { core } = test;
const workspace = await insertTestWorkspace(core);
await insertTestAgent(core, workspace, { sid: AGENT });
const context = await openTestContext(core, workspace);
const secret = generateApiKey();
const key = { workspaceId: workspace.id, name: "follower", role: "builder", secret } as const;
await insertApiKey(core, core.database.db, key);

const api = await createApi({
  core,
  settings: ApiSettings.parse({
    PARLEY_MAX_STREAMS_PER_KEY: 12_000,
    PARLEY_MAX_STREAMS_PER_WORKSPACE: 12_000,
    PARLEY_RATE_READ_PER_MINUTE: 0,
    ...(JSON.parse(settings) as object),
  }),
  logger: pino({ level: "warn" }, pino.destination(2)),
});
await api.app.listen({ host: "127.0.0.1", port: 0 });
const address = api.app.server.address();
const port = typeof address === "object" ? address?.port : undefined;

function measure(): Measured {
  // Twice: what the first pass finalizes is freed by the second.
  globalThis.gc?.();
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  const resources: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) {
    resources[name] = (resources[name] ?? 0) + 1;
  }
  return { rssBytes: rss, heapBytes: heapUsed, hub: core.hub.count(), resources };
}

const calls: Calls = {
  openLog: async () => {
    const { conversation } = await createTestConversation(context, [AGENT]);
    const mId = conversation.content[1]?.[0]?.sId ?? "";
    const path = `assistant/conversations/${conversation.sId}/messages/${mId}/events`;
    return { logId: mId, path: `/api/sse/v1/w/${workspace.sid}/${path}` };
  },
  append: async ({ logId, texts, end }) => {
    const events = [...texts.map(testToken), ...(end ? [testEnd] : [])];
    await inTransaction(core, async ({ db, afterCommit }) => {
      await appendEvents(db, [{ logId, events }], afterCommit);
    });
  },
  measure: async () => measure(),
  close: async ({ gracePeriodMs }) => {
    await api.close(gracePeriodMs);
    await test.close();
  },
};

interface Message {
  readonly id: number;
  readonly call: keyof Calls;
  readonly input: never;
}

async function answer({ id, call, input }: Message): Promise<void> {
  try {
    process.send?.({ id, result: await calls[call](input) });
  } catch (error) {
    process.send?.({ id, error: String(error) });
  }
  if (call === "close") process.disconnect?.();
}

process.on("message", (message: Message) => void answer(message));
process.send?.({ id: 0, result: { url: `http://127.0.0.1:${port}`, secret } });
