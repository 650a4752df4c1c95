import { reservingStorage } from "@parley/core";
import { type Endpoint, growsStorage } from "@parley/schema";
import type { ProcedureContext } from "./procedure-context.ts";

/** What a small request stores beside its body: rows, events and their places in indexes. */
const ROWS_BYTES = 1024;

type Charging = <Result>(
  context: ProcedureContext,
  input: unknown,
  store: () => Promise<Result>,
) => Promise<Result>;

/**
 * Returns how requests of an endpoint are charged for what they store: with their body, and the text of a
 * message once more for its event, which stand for it until the workspace is counted. Throws `budget_exceeded` if it is
 * full. Operators are never refused.
 */
export function chargeStorage(endpoint: Endpoint): Charging {
  if (!growsStorage(endpoint)) return (_context, _input, store) => store();
  return (context, input, store) => {
    const { caller, storage, bodyBytes = 0 } = context;
    if (caller.kind === "operator") return store();
    const bytes = bodyBytes + sizeOfEvent(input) + ROWS_BYTES;
    return reservingStorage({ caller, storage }, bytes, store);
  };
}

/** Bytes of the text that the event of a message contains; 0 for what is not a message, such as a fragment. */
function sizeOfEvent(input: unknown): number {
  // Parsed inputs are objects.
  const { message = input } = input as { message?: unknown };
  const { content, mentions } = (message ?? {}) as { content?: unknown; mentions?: unknown };
  return typeof content === "string" && Array.isArray(mentions) ? Buffer.byteLength(content) : 0;
}
