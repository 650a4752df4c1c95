import { ParleyError } from "@parley/schema";
import type { Context } from "../context.ts";
import type { StorageServices } from "./storage-meter.ts";

/**
 * Does something that stores so many bytes more, and gives them back if it fails. Throws
 * `budget_exceeded` if the workspace has no room for them.
 */
export async function reservingStorage<Result>(
  context: Pick<Context, "caller"> & StorageServices,
  bytes: number,
  store: () => Promise<Result>,
): Promise<Result> {
  const { caller, storage } = context;
  const { id } = caller.workspace;
  const { fits, storedBytes, limitBytes } = await storage.reserve(id, bytes);
  if (!fits) {
    // What others have stored is not a user's to know.
    const full =
      caller.userToken === undefined
        ? `The workspace stores ${storedBytes} of at most ${limitBytes} bytes, and this needs ${bytes} more`
        : "The workspace is full";
    const cure = "delete conversations, files or documents, or ask the operator of the server";
    throw new ParleyError("budget_exceeded", `${full}: ${cure}`);
  }
  try {
    return await store();
  } catch (error) {
    storage.add(id, -bytes);
    throw error;
  }
}
