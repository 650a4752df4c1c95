import { createApi } from "@parley/api";
import { ApiSettings } from "@parley/api/config";
import { appendEvents, generateApiKey, insertApiKey, inTransaction } from "@parley/core";
import {
  closeTestLog,
  createTestConversation,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
} from "@parley/core/testing";
import type { LogEvent } from "@parley/schema";
import pino from "pino";

const AGENT = "teller";

/** The API on an empty database without a worker, so that a test alone appends to its logs. */
export interface OpenApi extends AsyncDisposable {
  readonly url: string;
  readonly authorization: string;
  /** Where there is no log. */
  readonly unknownPath: string;
  /** Opens the empty log of an agent's message. */
  openLog(): Promise<{ readonly logId: string; readonly path: string }>;
  /** Appends events in one transaction, and gives the number of the last. */
  append(logId: string, events: readonly LogEvent[]): Promise<number>;
  /** Closes a log without a last event, as no code of the server does. */
  close(logId: string): Promise<void>;
  /** Shuts the API down. */
  shutDown(gracePeriodMs: number): Promise<void>;
  followers(): number;
}

/** Opens the API in this process, with settings besides those that lift its limits. */
export async function openApi(settings: object = {}): Promise<OpenApi> {
  const opened = await openTestCore();
  const { core } = opened;
  const workspace = await insertTestWorkspace(core);
  await insertTestAgent(core, workspace, { sid: AGENT });
  const context = await openTestContext(core, workspace);
  const secret = generateApiKey();
  const key = { workspaceId: workspace.id, name: "reader", role: "builder", secret } as const;
  await insertApiKey(core, core.database.db, key);
  const api = await createApi({
    core,
    settings: ApiSettings.parse({ PARLEY_RATE_READ_PER_MINUTE: 0, ...settings }),
    logger: pino({ level: "error" }, pino.destination(2)),
  });
  const url = await api.app.listen({ host: "127.0.0.1", port: 0 });
  let closing: Promise<void> | undefined;
  const shutDown = (gracePeriodMs: number) => (closing ??= api.close(gracePeriodMs));
  return {
    url,
    authorization: `Bearer ${secret}`,
    unknownPath: `/api/v1/w/${workspace.sid}/assistant/conversations/unknown/stream`,
    openLog: async () => {
      const { conversation } = await createTestConversation(context, [AGENT]);
      const mId = conversation.content[1]?.[0]?.sId ?? "";
      const path = `assistant/conversations/${conversation.sId}/messages/${mId}/stream`;
      return { logId: mId, path: `/api/v1/w/${workspace.sid}/${path}` };
    },
    append: async (logId, events) =>
      inTransaction(core, async ({ db, afterCommit }) => {
        const ends = await appendEvents(db, [{ logId, events }], afterCommit);
        const end = ends.get(logId);
        if (end === undefined) throw new Error(`The log ${logId} is closed`);
        return end;
      }),
    close: async (logId) => closeTestLog(core, logId),
    shutDown,
    followers: () => core.hub.count().followers,
    [Symbol.asyncDispose]: async () => {
      await shutDown(0);
      await opened.close();
    },
  };
}
