import type { InvocationError } from "@parley/schema";

/** Why an execution failed outside its code: its message names no secret and no text of a server. */
export class E2bFault extends Error {
  override readonly name = "E2bFault";

  readonly failure: InvocationError;

  constructor(failure: InvocationError, options?: ErrorOptions) {
    super(failure.message, options);
    this.failure = failure;
  }
}

/** The fault of an answer that is not a success; what it says may repeat the credential, and stays unread. */
export function refusedBy(what: string, { status }: Response): E2bFault {
  if (status === 401 || status === 403) {
    const message = `E2B refuses the server's API key: ${what} was answered ${status}`;
    return new E2bFault({ code: "invocation_failed", message, status });
  }
  if (status === 429) {
    const message = "E2B has no free sandbox: its limit of sandboxes or requests is reached";
    return new E2bFault({ code: "overloaded", message, status });
  }
  const message = `E2B failed: ${what} was answered ${status}`;
  return new E2bFault({ code: "invocation_failed", message, status });
}

/** The text of an answer, read to its end; undefined if it has more bytes than the limit. */
export async function readBounded(
  { body }: Response,
  maxBytes: number,
): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the body.
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
