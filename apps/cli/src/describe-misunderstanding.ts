/** As tRPC's client names answers that it cannot read. */
const UNREADABLE = /^(?:Unable to transform response from server|Missing result)/;

/**
 * Says that a server answered what no command understands, if that is why something failed: reading the answer has
 * thrown an error of the language. Errors of the network have codes.
 */
export function describeMisunderstanding(error: Error): string | undefined {
  const innermost = innermostOf(error);
  if (typeof (innermost as { code?: unknown }).code === "string") return undefined;
  const isUnread =
    innermost instanceof TypeError ||
    innermost instanceof SyntaxError ||
    UNREADABLE.test(innermost.message);
  if (!isUnread) return undefined;
  return (
    "The server's answer is not one that this command understands: check that PARLEY_URL is the URL of a " +
    "Parley server, and that no proxy in between changes its answers"
  );
}

function innermostOf(error: Error): Error {
  return error.cause instanceof Error ? innermostOf(error.cause) : error;
}
