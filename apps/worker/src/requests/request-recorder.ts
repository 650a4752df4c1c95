import { createHash, randomBytes, webcrypto } from "node:crypto";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { SentRequest, StepRequest } from "@parley/agent";
import { tokensOfFiles } from "@parley/agent";
import {
  type ClaimedRun,
  type Core,
  describeRequest,
  type NewRequest,
  recordRequests,
  type Turn,
} from "@parley/core";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { describeRun } from "../runs/leases.ts";
import { createBackoff, isTemporary } from "../runs/outage.ts";
import { createRequestMetrics } from "./request-metrics.ts";
import { sourcesOf } from "./request-sources.ts";

// Requests are recorded beside the turns that send them: no turn waits for it, or fails with it.

/** Time until requests are written, so that those of several turns share a statement. */
const INTERVAL_MS = 50;
/** How long what waits is written for when the worker closes. */
const CLOSE_MS = 2000;
/** Bytes of a body without its files; of a longer one, only size and hash are recorded. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** Requests that wait, and characters of their bodies; of more, none is recorded. */
const MAX_WAITING = 1000;
const MAX_WAITING_CHARACTERS = 128 * 1024 * 1024;
/** Requests and characters that a statement writes. */
const MAX_TOGETHER = 32;
const MAX_TOGETHER_CHARACTERS = 4 * 1024 * 1024;
/** A longer body is hashed in a thread. */
const MAX_HASHED_CHARACTERS = 256 * 1024;

/** A request of a turn, as it is sent. */
export interface SentStep {
  readonly run: ClaimedRun;
  readonly turn: Turn;
  readonly request: StepRequest;
  readonly sent: SentRequest;
}

export interface RequestRecorder {
  /** Records a request soon; never throws. */
  record(step: SentStep): void;
  /** Writes what waits, if the database answers within seconds. */
  close(): Promise<void>;
}

interface RecorderOptions {
  readonly core: Core;
  readonly logger: Pick<Logger, "error">;
  /** Registry that its metrics are added to. */
  readonly registry: Registry;
}

/** Creates the recorder of a worker. During an outage of the database, requests wait in its bounds. */
export function createRequestRecorder({
  core,
  logger,
  registry,
}: RecorderOptions): RequestRecorder {
  const metrics = createRequestMetrics(registry);
  const backoff = createBackoff(core);
  const described: NewRequest[] = [];
  const describing = new Set<Promise<void>>();
  const closed = new AbortController();
  let waiting = 0;
  let waitingCharacters = 0;
  let writing: Promise<void> | undefined;

  const fail = (err: unknown, about: object): void => {
    metrics.ended("failed");
    logger.error({ err, ...about }, "A request to a model could not be recorded");
  };

  const describe = async (step: SentStep, characters: number): Promise<void> => {
    try {
      // After the turn has gone on.
      await nextTurn();
      const request = await toNewRequest(core, step);
      if (request === undefined) throw new Error("Its description took too long");
      described.push(request);
      waiting++;
      waitingCharacters += sizeOf(request);
      writing ??= write();
    } catch (error) {
      fail(error, describeRun(step.run));
    } finally {
      waiting--;
      waitingCharacters -= characters;
    }
  };

  const write = async (): Promise<void> => {
    await pause(INTERVAL_MS);
    while (described.length > 0) {
      const batch = described.slice(0, countTogether(described));
      // oxlint-disable-next-line no-await-in-loop -- one statement at a time
      const isWritten = await writeBatch(batch);
      if (isWritten) {
        described.splice(0, batch.length);
        waiting -= batch.length;
        for (const one of batch) waitingCharacters -= sizeOf(one);
      } else if (closed.signal.aborted) break;
      // oxlint-disable-next-line no-await-in-loop
      else await pause(backoff.waitMs());
    }
    writing = undefined;
  };

  const pause = (ms: number) => sleep(ms, undefined, { signal: closed.signal }).catch(() => {});

  /** False if the database is to be asked again. */
  const writeBatch = async (batch: readonly NewRequest[]): Promise<boolean> => {
    try {
      const written = await recordRequests(core, batch);
      backoff.reset();
      metrics.ended("recorded", written);
      metrics.ended("not_kept", batch.length - written);
    } catch (error) {
      if (isTemporary(error)) {
        backoff.failed();
        return false;
      }
      if (batch.length === 1) fail(error, { messageId: batch[0]?.messageId });
      // One that the database refuses is not to fail the others.
      else for (const one of batch) await writeBatch([one]);
    }
    return true;
  };

  return {
    record: (step) => {
      const { length } = step.sent.body;
      if (waiting >= MAX_WAITING || waitingCharacters + length > MAX_WAITING_CHARACTERS) {
        metrics.ended("overflow");
        return;
      }
      waiting++;
      waitingCharacters += length;
      const done = describe(step, length).finally(() => describing.delete(done));
      describing.add(done);
    },
    close: async () => {
      const giveUp = setTimeout(() => closed.abort(), CLOSE_MS);
      await Promise.all(describing);
      await writing;
      clearTimeout(giveUp);
    },
  };
}

function countTogether(requests: readonly NewRequest[]): number {
  let characters = 0;
  const end = requests.findIndex((request, index) => {
    characters += sizeOf(request);
    return index > 0 && (index >= MAX_TOGETHER || characters > MAX_TOGETHER_CHARACTERS);
  });
  return end === -1 ? requests.length : end;
}

function sizeOf({ template, pieces }: NewRequest): number {
  const literals = (template ?? []).map((one) => (typeof one === "string" ? one : ""));
  return [...literals, ...Object.values(pieces)].reduce((sum, one) => sum + one.length, 0);
}

/** A request as it is stored; undefined if it takes too long to describe. */
async function toNewRequest(
  core: Core,
  { run, turn, request, sent }: SentStep,
): Promise<NewRequest | undefined> {
  const { body, files, providerId, modelId } = sent;
  const sentAt = core.now();
  const { conversation } = turn;
  const marker = `@file-${randomBytes(8).toString("hex")}-`;
  const texts = files.map(({ start }, index) => body.slice(files[index - 1]?.end ?? 0, start));
  texts.push(body.slice(files.at(-1)?.end ?? 0));
  const json = texts
    .map((text, index) => (index === 0 ? text : `${marker}${index - 1};${text}`))
    .join("");
  const hashed = hash(body);
  const about = { workspaceId: run.workspaceId, conversationId: conversation.id };
  const stored =
    Buffer.byteLength(json) > MAX_BODY_BYTES
      ? { template: null, pieces: {}, parts: {} }
      : await describeRequest(
          core.threads,
          {
            json,
            marker,
            files: files.map(({ file: { fileId: file, sha256 } }) => ({ file, sha256 })),
            sources: sourcesOf({ run, turn }, request),
          },
          { workspaceId: run.workspaceId, origin: "run" },
        );
  const { sha256, sizeBytes } = await hashed;
  if (stored === undefined) return undefined;
  const parts = files.map(({ file }) => ({ type: "file" as const, file }));
  const tokens = tokensOfFiles({ parts });
  return {
    ...about,
    messageId: run.logId,
    step: request.step,
    attempt: run.attempt,
    providerId,
    modelId,
    sentAt,
    sizeBytes,
    sha256,
    ...stored,
    parts: { ...stored.parts, ...(tokens > 0 && { files: tokens }) },
  };
}

/** The size and the hash of the bytes of a body. */
async function hash(body: string): Promise<Pick<NewRequest, "sha256" | "sizeBytes">> {
  if (body.length <= MAX_HASHED_CHARACTERS) {
    const sha256 = createHash("sha256").update(body).digest("hex");
    return { sha256, sizeBytes: Buffer.byteLength(body) };
  }
  const bytes = Buffer.from(body);
  const digest = await webcrypto.subtle.digest("SHA-256", bytes);
  return { sha256: Buffer.from(digest).toString("hex"), sizeBytes: bytes.length };
}
