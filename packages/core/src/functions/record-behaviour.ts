import {
  cleanJson,
  formatPath,
  type InvocationEvent,
  type InvocationOutcome,
  ParleyError,
  parseJson,
  PastInvocation,
  RecordedBehaviour,
  Recording,
} from "@parley/schema";

/**
 * Turns past invocations, as JSON Lines, into a behaviour that replays them. Throws
 * `invalid_request_error` with the number of the line; empty lines count and are skipped.
 */
export function recordBehaviour(lines: Iterable<string>): RecordedBehaviour {
  const recordings: Recording[] = [];
  let number = 0;
  for (const line of lines) {
    number++;
    if (line.trim() !== "") recordings.push(recordLine(line, number));
  }
  return check(recordings);
}

function recordLine(line: string, number: number): Recording {
  let value: unknown;
  try {
    value = cleanJson(parseJson(line));
  } catch (cause) {
    const [issue] = cause instanceof ParleyError ? (cause.issues ?? []) : [];
    throw refused(number, issue === undefined ? "must be JSON" : `${issue.path}: ${issue.message}`);
  }
  const parsed = PastInvocation.safeParse(value);
  if (!parsed.success) throw refused(number, describe(parsed.error));
  const recording = Recording.safeParse(toRecording(parsed.data, number));
  if (!recording.success) throw refused(number, describe(recording.error));
  return recording.data;
}

function toRecording(past: PastInvocation, number: number): unknown {
  const { input, events = [] } = past;
  const startedAt = events[0]?.created ?? 0;
  const ofStream = events.flatMap((event): Recording["events"] => {
    const afterMs = event.created - startedAt;
    if (event.type === "sandbox_function_invocation_log") {
      return [{ afterMs, log: { stream: event.stream, text: event.text } }];
    }
    if (event.type !== "sandbox_function_invocation_progress") return [];
    const { done, total, label } = event;
    return [{ afterMs, progress: { done, total, label } }];
  });
  const summarized = [
    ...(past.logs ?? []).map(({ afterMs, ...one }) => ({ afterMs, log: one })),
    ...(past.progress ?? []).map(({ afterMs, ...one }) => ({ afterMs, progress: one })),
  ];
  const happened = [...ofStream, ...summarized].toSorted((a, b) => a.afterMs - b.afterMs);
  const last = events.at(-1);
  const outcome = past.outcome ?? outcomeOf(last);
  if (outcome === undefined)
    throw refused(number, "outcome: is required, unless it is the last event");
  const lastMs = Math.max(happened.at(-1)?.afterMs ?? 0, (last?.created ?? 0) - startedAt);
  return { input, events: happened, outcome, durationMs: past.durationMs ?? lastMs };
}

function outcomeOf(event: InvocationEvent | undefined): InvocationOutcome | undefined {
  if (event?.type === "sandbox_function_invocation_result") {
    return { status: "succeeded", result: event.result };
  }
  if (event?.type !== "sandbox_function_invocation_error") return undefined;
  return { status: "errored", error: event.error };
}

function check(recordings: readonly Recording[]): RecordedBehaviour {
  const parsed = RecordedBehaviour.safeParse({ type: "recorded", recordings });
  if (parsed.success) return parsed.data;
  throw new ParleyError("invalid_request_error", describe(parsed.error));
}

interface Refusal {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}

function describe({ issues: [issue] }: Refusal): string {
  const path = formatPath(issue?.path ?? []);
  return `${path && `${path}: `}${issue?.message}`;
}

function refused(number: number, message: string): ParleyError {
  return new ParleyError("invalid_request_error", `Line ${number}: ${message}`);
}
