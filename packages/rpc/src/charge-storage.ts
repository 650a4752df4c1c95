import { reservingStorage } from "@parley/core";
import { type Endpoint, growsStorage } from "@parley/schema";
import type { ProcedureContext } from "./procedure-context.ts";

/** What a small request stores beside its body: rows, events and their places in indexes. */
const ROWS_BYTES = 1024;

type Charging = <Result>(
  context: ProcedureContext,
  store: () => Promise<Result>,
) => Promise<Result>;

/**
 * Returns how requests of an endpoint are charged for what they store: with their body, which stands for it
 * until the workspace is counted. Throws `budget_exceeded` where it is full. Operators are never refused.
 */
export function chargeStorage(endpoint: Endpoint): Charging {
  if (!growsStorage(endpoint)) return (_context, store) => store();
  return (context, store) => {
    const { caller, storage, bodyBytes = 0 } = context;
    if (caller.kind === "operator") return store();
    return reservingStorage({ caller, storage }, bodyBytes + ROWS_BYTES, store);
  };
}
