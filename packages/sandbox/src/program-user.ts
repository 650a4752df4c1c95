import { findBoundary } from "./boundary.ts";
import type { User } from "./other-user.ts";

/**
 * Finds, once, the user that a program on strangers' input becomes if this process is root: that of the sandbox, if the
 * program `works` as it. Undefined for that of this process.
 */
export function createProgramUser(
  works: (user: User) => Promise<boolean>,
): () => Promise<User | undefined> {
  let found: { readonly user: User | undefined } | undefined;
  return async () => {
    if (process.geteuid?.() !== 0) return undefined;
    if (found !== undefined) return found.user;
    // Root without all of its rights may start what it can neither watch nor end: the sandbox has tried.
    const { user } = await findBoundary(undefined);
    found = { user: user !== undefined && (await works(user)) ? user : undefined };
    return found.user;
  };
}
