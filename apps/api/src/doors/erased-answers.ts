import { ParleyError } from "@parley/schema";
import type { DoorExchange } from "./door.ts";

/**
 * Throws an error of a create again; for a repeated request whose answer was not stored, `version_conflict` with the
 * reason why it cannot be given again.
 */
export function refuseErased(
  { context }: DoorExchange,
  isTemporary: boolean,
  error: unknown,
): never {
  const isReplay = context.idempotencyKey?.stored !== undefined;
  const isGone = error instanceof ParleyError && error.type === "conversation_not_found";
  if (!isTemporary || !isReplay || !isGone) throw error;
  throw new ParleyError(
    "version_conflict",
    "The answer to the first request with this Idempotency-Key was not stored, and is erased: send a new key",
    { cause: error },
  );
}
