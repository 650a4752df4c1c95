import { FetchFault, type FetchSession, type Guard } from "@parley/guarded-fetch";
import type { InvocationError } from "@parley/schema";
import type { FetchAnswer, FetchRequest } from "../child/messages.ts";
import type { SandboxExecution, UsedSecret } from "../contract.ts";
import type { Redactor } from "./redactor.ts";

/** A header names a secret that the function does not have. */
class RefusedSecret extends Error {}

const PLACE = /\{\{secrets\.([^{}]*)\}\}/g;

/**
 * Puts secrets in the places `{{secrets.NAME}}` of headers. Throws `RefusedSecret` for a name that the function
 * does not list, or that the workspace has no secret of. `secretHeaders` names those that have one.
 */
function substituteSecrets(
  headers: readonly (readonly [string, string])[],
  secrets: readonly UsedSecret[],
): { headers: [string, string][]; secretHeaders: string[] } {
  const values = new Map(secrets.map(({ name, value }) => [name, value]));
  const replace = (_place: string, name: string): string => {
    const value = values.get(name);
    if (value !== undefined) return value;
    throw new RefusedSecret(`The function has no secret ${name}`);
  };
  const secretHeaders = headers
    .filter(([, value]) => value.search(PLACE) !== -1)
    .map(([name]) => name);
  return {
    headers: headers.map(([name, value]) => [name, value.replace(PLACE, replace)]),
    secretHeaders,
  };
}

/** An answer for the code, or the fault that ends the execution. */
export type RequestOutcome =
  | { readonly answer: FetchAnswer; readonly body: Buffer }
  | { readonly fault: InvocationError };

/** The requests of one execution, which its code asks for and this process sends. */
export interface Requests {
  answer(request: FetchRequest, body: Buffer): Promise<RequestOutcome>;
  /** The code of an execution that failed with an error that `context` threw for this reason. */
  codeOf(reason: string): "fetch_refused" | "secret_refused" | undefined;
  close(): Promise<void>;
}

const NO_BODY = Buffer.alloc(0);
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Opens the requests of an execution: nothing is sent but to its hosts, within its limits. */
export function createRequests(
  guard: Guard,
  { limits, allowedHosts, secrets, signal, onAnswer }: SandboxExecution,
  redact: Redactor,
): Requests {
  const { fetches, fetchBytes, timeoutMs } = limits;
  const allowed = new Set(allowedHosts);
  const refusals = new Set<string>();
  let session: FetchSession | undefined;
  let sent = 0;
  let sentBytes = 0;
  const refuse = (code: "fetch_refused" | "secret_refused", message: string): RequestOutcome => {
    refusals.add(code);
    return { answer: { error: { code, message } }, body: NO_BODY };
  };
  const tooLarge = {
    fault: {
      code: "fetch_too_large",
      message: `The function may send, and receive, at most ${fetchBytes} bytes`,
    },
  } as const;

  const send = async (request: FetchRequest, body: Buffer): Promise<RequestOutcome> => {
    // A host that is not listed must not end the session, as a limit does.
    session ??= guard.open({
      timeoutMs,
      maxBytes: fetchBytes,
      maxRequests: fetches * MAX_HOPS,
      signal,
    });
    const method = request.method.toUpperCase();
    const { headers, secretHeaders } = substituteSecrets(request.headers, secrets);
    const response = await session.fetch(request.url, {
      method,
      headers,
      secretHeaders,
      ...(request.hasBody ? { body } : {}),
      redirect: request.redirect,
      permit: (url) => {
        if (allowed.has(url.hostname) || allowed.has(url.host)) return;
        throw new FetchFault("refused_address", `${url.host} is not a host of the function`);
      },
    });
    const content = Buffer.from(await response.arrayBuffer());
    const answer = {
      status: response.status,
      url: request.url,
      headers: [...response.headers].map(([name, value]) => [name, redact.text(value)] as const),
    };
    const shown = await redact.bytes(content);
    onAnswer?.({ ...answer, method, body: shown });
    return { answer, body: shown };
  };

  return {
    answer: async (request, body) => {
      if (++sent > fetches) {
        const message = `The function may send at most ${fetches} requests`;
        return { fault: { code: "fetches_exceeded", message } };
      }
      sentBytes += body.length;
      if (sentBytes > fetchBytes) return tooLarge;
      try {
        if (!methods.has(request.method.toUpperCase())) {
          return refuse("fetch_refused", `The method must be one of ${[...methods].join(", ")}`);
        }
        return await send(request, body);
      } catch (error) {
        if (error instanceof RefusedSecret) return refuse("secret_refused", error.message);
        const { code, message } =
          error instanceof FetchFault
            ? error
            : new FetchFault("rejected", "The request cannot be sent");
        if (code === "too_large") return tooLarge;
        if (code === "refused_address") return refuse("fetch_refused", message);
        return { answer: { error: { code, message: redact.text(message) } }, body: NO_BODY };
      }
    },
    codeOf: (reason) => {
      const code = refusable.find((one) => one === reason);
      // Code may throw whatever it likes: what was not refused has no such code. A secret is refused inside.
      return code === "secret_refused" || refusals.has(reason) ? code : undefined;
    },
    close: async () => session?.close(),
  };
}

/** A request and its redirects. */
const MAX_HOPS = 6;
const refusable = ["fetch_refused", "secret_refused"] as const;
