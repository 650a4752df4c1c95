import * as z from "zod";
import { E2bFault, readBounded, refusedBy } from "./e2b-fault.ts";

/** The address of E2B, and the caller's key. */
export interface E2bConnection {
  readonly apiKey: string;
  readonly apiUrl: string;
  /** Of sandboxes whose answer names none. */
  readonly domain: string;
  /** Leads to every sandbox by its headers. */
  readonly sandboxUrl?: string | undefined;
}

/** A sandbox that was asked for. */
export interface SandboxRequest {
  readonly template: string;
  /** After this E2B deletes it, whatever became of who asked. */
  readonly lifetimeMs: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

const Created = z.object({
  sandboxID: z.string().regex(/^[A-Za-z0-9_-]{1,128}$/),
  domain: z
    .string()
    .regex(/^[A-Za-z0-9.-]{1,253}$/)
    .nullish(),
  envdAccessToken: z.string().max(4096).nullish(),
  trafficAccessToken: z.string().max(4096).nullish(),
});

/** A sandbox that exists until it is deleted. */
export interface CreatedSandbox {
  readonly id: string;
  /** Of the server inside that has its files and processes. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const ALL_ADDRESSES = "0.0.0.0/0";
/** Of the server inside. */
const PORT = 49_983;
const MAX_ANSWER_BYTES = 65_536;

/**
 * Creates a sandbox that can reach no network, and that is reached only with its tokens. Throws `E2bFault`, or
 * what the signal aborted with.
 */
export async function createE2bSandbox(
  connection: E2bConnection,
  { template, lifetimeMs, metadata, signal }: SandboxRequest,
): Promise<CreatedSandbox> {
  const response = await ask(connection, "", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      templateID: template,
      timeout: Math.ceil(lifetimeMs / 1000),
      secure: true,
      autoPause: false,
      allow_internet_access: false,
      network: { denyOut: [ALL_ADDRESSES], allowPublicTraffic: false },
      metadata,
    }),
    signal,
  });
  if (!response.ok) {
    await response.body?.cancel();
    if (response.status !== 400 && response.status !== 404) throw refusedBy("a sandbox", response);
    const message = `E2B does not create a sandbox from the template ${template}: it answered ${response.status}`;
    throw new E2bFault({ code: "import_failed", message, status: response.status });
  }
  const text = await readBounded(response, MAX_ANSWER_BYTES);
  const created = Created.safeParse(parse(text));
  if (!created.success) throw unreadable();
  const { sandboxID: id, domain, envdAccessToken, trafficAccessToken } = created.data;
  return {
    id,
    url: connection.sandboxUrl ?? `https://${PORT}-${id}.${domain ?? connection.domain}`,
    headers: {
      "e2b-sandbox-id": id,
      "e2b-sandbox-port": String(PORT),
      ...(envdAccessToken ? { "x-access-token": envdAccessToken } : {}),
      ...(trafficAccessToken ? { "e2b-traffic-access-token": trafficAccessToken } : {}),
    },
  };
}

/** Deletes a sandbox with all that runs in it; one that is gone already counts. Throws `E2bFault`. */
export async function deleteE2bSandbox(
  connection: E2bConnection,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const response = await ask(connection, `/${id}`, { method: "DELETE", signal });
  await response.body?.cancel();
  if (!response.ok && response.status !== 404) throw refusedBy("a deletion", response);
}

async function ask(
  { apiKey, apiUrl }: E2bConnection,
  path: string,
  { headers, signal, ...init }: RequestInit & { readonly signal: AbortSignal },
): Promise<Response> {
  const url = `${apiUrl.replace(/\/+$/, "")}/sandboxes${path}`;
  const all = { ...(headers as Record<string, string>), "x-api-key": apiKey };
  try {
    return await fetch(url, { ...init, headers: all, redirect: "error", signal });
  } catch (cause) {
    signal.throwIfAborted();
    throw new E2bFault({ code: "invocation_failed", message: "E2B cannot be reached" }, { cause });
  }
}

function parse(text: string | undefined): unknown {
  if (text === undefined) throw unreadable();
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable();
  }
}

function unreadable(): E2bFault {
  const message = "E2B's answer is not a sandbox";
  return new E2bFault({ code: "invocation_failed", message });
}
