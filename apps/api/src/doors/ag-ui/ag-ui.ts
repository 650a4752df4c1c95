import { readLogEnd } from "@parley/core";
import { doors } from "@parley/schema";
import type { FastifyInstance } from "fastify";
import type { ApiServices } from "../../services.ts";
import { type DoorExchange, openLog, registerDoor } from "../door.ts";
import { sendEvents } from "../send-events.ts";
import { createRunCodec } from "./run-codec.ts";
import { type RunRequest, startRun } from "./start-run.ts";
import { readWaiting } from "./threads.ts";

const NAME = "messages.events";

/** Serves agents as those of AG-UI: a thread is a conversation, and a run an answer, or a part of one. */
export function registerAgUi(app: FastifyInstance, services: ApiServices): void {
  registerDoor(app, services, { endpoint: doors["agUi.run"], handle: run });
}

async function run(exchange: DoorExchange, request: RunRequest): Promise<undefined> {
  const { threadId, runId } = request;
  const { conversationId, messageId, continues } = await startRun(exchange, request);
  const params = { cId: conversationId, mId: messageId };
  const source = await openLog(exchange, NAME, { params, query: { include: "function_calls" } });
  // Before the calls that wait: one that is announced after it waits, whatever they are.
  const { lastSeq } = await readLogEnd(exchange.services.core.database.db, source.logId);
  const actionIds = lastSeq === 0 ? new Set<string>() : await readWaiting(exchange, conversationId);
  const codec = createRunCodec({
    threadId,
    runId,
    messageId,
    ...(continues && { continues }),
    waiting: { actionIds, lastSeq },
  });
  sendEvents(exchange, { name: NAME, source, codec });
  return undefined;
}
