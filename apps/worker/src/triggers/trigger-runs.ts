import {
  bodyAsJson,
  type ClaimedRun,
  claimTriggerEvents,
  type Core,
  dropOrphan,
  launch,
  type LoadedTriggerEvent,
  loadTriggerEvent,
  settleTriggerEvent,
  type SettledTriggerEvent,
} from "@parley/core";
import { errorTable, fitsBytes, type Launch, ParleyError, toStorableJson } from "@parley/schema";
import type { SandboxExecutor } from "../executor/executor.ts";
import type { Persistence } from "../runs/outage.ts";
import type { RunKind } from "../runs/run-kind.ts";
import { nextDelayMs } from "../webhooks/retry-schedule.ts";
import { type Mapped, mapEvent } from "./map-event.ts";

/** Events of a workspace that a worker works on at once. */
const PER_WORKSPACE = 50;
/** A mapping that waits for the sandbox leaves its place to others. */
const KEEPS_PLACE_MS = 1000;
/** Bytes of a message. */
const MAX_MESSAGE_BYTES = 1_048_576;

interface TriggerServices {
  readonly core: Core;
  readonly persistence: Persistence;
  readonly executor: SandboxExecutor;
}

type Ended = SettledTriggerEvent;

const failed = (error: string): Ended => ({ outcome: "failed", error });

/** Tries again later, as deliveries are, until no attempt is left. */
function later(
  { core }: TriggerServices,
  run: ClaimedRun,
  { error, retryAfterMs }: { error: string; retryAfterMs?: number | undefined },
): Ended {
  const againAfterMs = nextDelayMs(run.attempt, { random: core.random, retryAfterMs });
  return againAfterMs === undefined ? failed(error) : { outcome: { againAfterMs }, error };
}

async function makeOf(
  { executor }: TriggerServices,
  { run, loaded, signal }: { run: ClaimedRun; loaded: LoadedTriggerEvent; signal: AbortSignal },
): Promise<Mapped> {
  const { event, trigger } = loaded;
  const { mapping, target } = trigger;
  const body = bodyAsJson({ headers: event.headers ?? {}, body: event.body ?? Buffer.alloc(0) });
  if (mapping === null) {
    return { value: target.agent === undefined ? (JSON.parse(body) as unknown) : body };
  }
  const mapped = { event, trigger: { ...trigger, mapping } };
  return mapEvent(executor, mapped, { body, attempt: run.attempt, signal });
}

/** What is made of an event as text: a message, or the JSON of an input. */
const asText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value, null, 2);

/** What a trigger starts with a value. Throws a message for one that it cannot be started with. */
function launchOf({ target }: LoadedTriggerEvent["trigger"], value: unknown): Launch {
  const { agent, function: invoked } = target;
  if (agent === undefined) {
    return { agent, function: invoked && { ...invoked, input: toStorableJson(value) } };
  }
  return { agent: { ...agent, message: asText(value) }, function: undefined };
}

/** Why a text cannot be a message; undefined if it can. */
function findMessageFault(text: string): string | undefined {
  if (text.trim() === "") return "The message is empty: the mapping must give some text, or null";
  if (fitsBytes(text, MAX_MESSAGE_BYTES)) return undefined;
  return `The message must be at most ${MAX_MESSAGE_BYTES} bytes: map the event to less`;
}

async function work(
  services: TriggerServices,
  run: ClaimedRun,
  { loaded, signal }: { loaded: LoadedTriggerEvent; signal: AbortSignal },
): Promise<Ended> {
  const { event, trigger } = loaded;
  if (run.exhausted) return failed("The worker stopped while it worked on it, more than once");
  if (trigger.disabledFor !== null) return failed("The trigger is switched off");
  const mapped = await makeOf(services, { run, loaded, signal });
  if ("isIgnored" in mapped) return { outcome: "ignored" };
  if ("error" in mapped) {
    const { error } = mapped;
    return mapped.isTemporary ? later(services, run, { error }) : failed(error);
  }
  const message = asText(mapped.value);
  const fault = trigger.target.agent === undefined ? undefined : findMessageFault(message);
  if (fault !== undefined) return { ...failed(fault), message };
  if (event.isSample) return { outcome: "tried", message };
  return { ...(await start(services, run, { loaded, value: mapped.value, signal })), message };
}

async function start(
  services: TriggerServices,
  run: ClaimedRun,
  { loaded, value, signal }: { loaded: LoadedTriggerEvent; value: unknown; signal: AbortSignal },
): Promise<Ended> {
  const { event, trigger } = loaded;
  try {
    const launched = await services.persistence.retry(run, signal, () =>
      launch(services.core, {
        apiKeyId: trigger.apiKeyId,
        launch: launchOf(trigger, value),
        author: { name: trigger.name, timezone: "UTC" },
        key: `${event.sid}/${event.replays}`,
        origin: {
          requestId: run.requestId ?? event.sid,
          traceparent: run.traceparent ?? undefined,
          depth: event.depth,
        },
        signal,
      }),
    );
    if (launched === undefined) {
      return { ...failed("The key of the trigger is revoked"), isKeyRevoked: true };
    }
    const { logId: _logId, ...started } = launched;
    const { functionId } = trigger.target.function ?? {};
    return {
      outcome: "started",
      started: { ...started, ...(functionId !== undefined && { functionId }) },
    };
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error;
    const message = `${error.type}: ${error.message}`;
    if (!errorTable[error.type].retryable) return failed(message);
    const retryAfterMs = error.retryAfterSeconds && error.retryAfterSeconds * 1000;
    return later(services, run, { error: message, retryAfterMs });
  }
}

/** Runs that events of triggers lead to. */
export function createTriggerRuns(services: TriggerServices): RunKind {
  const { core, persistence } = services;
  return {
    perWorkspace: PER_WORKSPACE,
    keepsPlaceMs: KEEPS_PLACE_MS,
    // Their logs have no events.
    writer: { release: () => {}, waitingSince: () => undefined },
    claim: ({ held, ...request }) =>
      claimTriggerEvents(core, { ...request, held, perWorkspace: PER_WORKSPACE }),
    execute: async (run, signal) => {
      const retry = <T>(work_: () => Promise<T>) => persistence.retry(run, signal, work_);
      const loaded = await retry(() => loadTriggerEvent(core.database.db, run.subjectId));
      if (loaded === undefined) {
        await retry(() => dropOrphan(core, run));
        return "deleted";
      }
      const ended = await work(services, run, { loaded, signal });
      await retry(() => settleTriggerEvent(core, { run, loaded, ...ended }));
      return typeof ended.outcome === "string" ? ended.outcome : "suspended";
    },
  };
}
