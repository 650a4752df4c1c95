import {
  conversations,
  type Database,
  events,
  logs,
  messages,
  openEmbedded,
  openPostgres,
  runs,
} from "@parley/db";
import { expect } from "vitest";
import type { Place } from "../server.ts";

const terminal = new Set(["agent_message_success", "agent_error", "agent_generation_cancelled"]);

type StoredEvent = typeof events.$inferSelect;

/** Opens the database of a place that no server uses now. */
export function openDatabase(place: Place): Promise<Database> {
  return place.databaseUrl === undefined
    ? openEmbedded(place.directory)
    : openPostgres({ url: place.databaseUrl, poolSize: 2 });
}

/** Expects that everything which was acknowledged is there, and that every log is whole. */
export async function expectSoundState(
  { db }: Database,
  acknowledged: ReadonlySet<string>,
): Promise<void> {
  const stored = new Set((await db.select().from(conversations)).map((row) => row.sid));
  expect([...acknowledged].filter((sid) => !stored.has(sid))).toEqual([]);

  const ofLogs = Map.groupBy(await db.select().from(events), (event) => event.logId);
  const allLogs = await db.select().from(logs);
  for (const log of allLogs) {
    const ofLog = (ofLogs.get(log.id) ?? []).toSorted((a, b) => a.seq - b.seq);
    const numbers = Array.from({ length: log.lastSeq }, (_, index) => index + 1);
    expect(ofLog.map((event) => event.seq)).toEqual(numbers);
  }
  expect([...ofLogs.keys()].filter((id) => !allLogs.some((log) => log.id === id))).toEqual([]);

  const allMessages = await db.select().from(messages);
  const agents = allMessages.filter((message) => message.type === "agent_message");
  const closed = new Set(allLogs.filter((log) => log.closedAt !== null).map((log) => log.id));
  for (const message of agents) {
    const ofMessage = (ofLogs.get(message.sid) ?? []).toSorted((a, b) => a.seq - b.seq);
    const ends = ofMessage.filter((event) => terminal.has(event.type));
    expect(ends.map((event) => event.seq)).toEqual([ofMessage.length]);
    expect(closed.has(message.sid)).toBe(true);
    expect(message.status).toBe(ends[0]?.type === "agent_error" ? "failed" : "succeeded");
    if (message.status === "succeeded") expect(textIn(ofMessage)).toBe(message.content);
  }
  expectDoneOnce(agents, ofLogs);
  const unfinished = (await db.select().from(runs)).filter((run) => run.status !== "finished");
  expect(unfinished).toEqual([]);
}

/** The published text of an answer. */
function textIn(ofMessage: readonly StoredEvent[]): string {
  const payloads = ofMessage.map(
    ({ payload }) =>
      JSON.parse(payload) as { type: string; text?: string; classification?: string },
  );
  return payloads
    .filter(
      ({ type, classification }) => type === "generation_tokens" && classification === "tokens",
    )
    .map(({ text }) => text)
    .join("");
}

/** Expects that each conversation tells the end of each of its answers, once. */
function expectDoneOnce(
  agents: readonly { sid: string }[],
  ofLogs: ReadonlyMap<string, readonly StoredEvent[]>,
): void {
  const done = [...ofLogs.values()]
    .flat()
    .filter((event) => event.type === "agent_message_done")
    .map(({ payload }) => (JSON.parse(payload) as { messageId: string }).messageId);
  expect(done.toSorted()).toEqual(agents.map(({ sid }) => sid).toSorted());
}

/** Whether no run is left to do. */
export async function hasFinished({ db }: Database): Promise<boolean> {
  return (await db.select().from(runs)).every((run) => run.status === "finished");
}
