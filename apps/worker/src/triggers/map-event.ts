import type { LoadedTriggerEvent, TriggerMappingRow } from "@parley/core";
import {
  type CodeLimits,
  MAX_EVENT_BYTES,
  type ProgramBundle,
  type StoredJavaScript,
} from "@parley/schema";
import { limitExecution } from "../executor/limit-execution.ts";
import type { SandboxExecutor } from "../executor/executor.ts";
import { jsonataProgram } from "./jsonata-program.ts";

const LIMITS = { timeoutMs: 10_000, maxOutputBytes: 1_048_576, maxLogLines: 0 };
/** Of a mapping; a body of JSON takes several times its bytes. */
const CODE_LIMITS: CodeLimits = {
  cpuMs: 2000,
  memoryBytes: 134_217_728,
  logBytes: 0,
  fetches: 0,
  fetchBytes: 0,
};
/** Of an event with its headers and expressions: the JSON of a form may be twice as long as the form. */
const MAX_INPUT_BYTES = 2.5 * MAX_EVENT_BYTES;
/** Version of the program that evaluates expressions. */
const JSONATA_VERSION = 1;

/** What was made of an event, or why nothing was. */
export type Mapped =
  | { readonly value: unknown }
  | { readonly isIgnored: true }
  | { readonly error: string; readonly isTemporary: boolean };

const programOf = (source: string, bundle: ProgramBundle): StoredJavaScript => ({
  type: "javascript",
  source,
  bundle,
  allowedHosts: [],
  secrets: [],
  ...CODE_LIMITS,
});

const jsonataMapping = async () => programOf("", await jsonataProgram());

/**
 * Makes of an event what its trigger says, in the sandbox, with bounds of time, memory and bytes; its code has no network and
 * no secrets. Throws only the reason of the signal.
 */
export async function mapEvent(
  executor: SandboxExecutor,
  {
    trigger,
    event,
  }: LoadedTriggerEvent & { readonly trigger: { readonly mapping: TriggerMappingRow } },
  { body, attempt, signal }: { body: string; attempt: number; signal: AbortSignal },
): Promise<Mapped> {
  const { mapping, workspaceId } = trigger;
  const isCode = mapping.type === "javascript";
  const receivedAt = new Date(event.createdAt).toISOString();
  const beside = JSON.stringify({ headers: event.headers, receivedAt }).slice(0, -1);
  // The JSON of the body was checked when it was received: parsing it would hold the event loop.
  const json = `${beside},"body":${body}}`;
  const expressions = isCode ? "" : JSON.stringify({ ...mapping }).slice(0, -1);
  const execution = {
    workspaceId,
    functionId: isCode ? trigger.sid : "jsonata",
    version: isCode ? trigger.version : JSONATA_VERSION,
    program: isCode ? programOf(mapping.source, mapping.bundle) : await jsonataMapping(),
    input: isCode ? json : `${expressions},"event":${json}}`,
    maxInputBytes: MAX_INPUT_BYTES,
    timezone: "UTC",
    seed: event.sid,
    attempt,
    limits: LIMITS,
    signal,
  };
  for await (const ended of limitExecution(executor, execution)) {
    if (ended.type === "errored") {
      const { code, message } = ended.error;
      return { error: `${code}: ${message}`, isTemporary: code === "overloaded" };
    }
    if (ended.type !== "succeeded") continue;
    if (!isCode) return ended.result as Mapped;
    return ended.result === null ? { isIgnored: true } : { value: ended.result };
  }
  throw new Error("The mapping has no outcome");
}
