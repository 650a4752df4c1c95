import {
  Client,
  type jsonSchemaValidator,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { createGuard, FetchFault, type ResolveHost } from "@parley/guarded-fetch";
import type {
  ListedTools,
  McpCall,
  McpConnections,
  McpContent,
  McpLimits,
  McpProgress,
  McpServer,
  ToolResult,
} from "./contract.ts";
import type { McpChallenge, McpFailure } from "./failure-contract.ts";
import { type Exchange, openExchange } from "./exchange.ts";
import { reasonOf, toFailure } from "./failures.ts";
import { listTools, storable } from "./list-tools.ts";
import { createNegotiations, type Negotiation } from "./negotiations.ts";
import { hasFailed, type OAuthOptions } from "./oauth/contract.ts";
import { discoverAuthorizationServer } from "./oauth/discover.ts";
import { createPersonalAuthorization, type Discover } from "./oauth/personal-authorization.ts";
import { requestClientCredentials } from "./oauth/tokens.ts";
import { toStorable } from "@parley/schema";

/** Calls a tool of a connected server, and makes its result storable. Throws what the client throws. */
async function callTool(
  client: Client,
  call: McpCall,
  options: {
    signal: AbortSignal;
    timeout: number;
    onProgress?: ((progress: McpProgress) => void) | undefined;
  },
): Promise<Omit<ToolResult, "toolsChanged">> {
  const { signal, timeout, onProgress } = options;
  const { name, inputSchema = {}, traceparent } = call;
  const result = await client.callTool(
    { name, arguments: call.arguments, ...(traceparent && { _meta: { traceparent } }) },
    {
      signal,
      timeout,
      // With a definition, the client neither asks for it nor sends the call again.
      toolDefinition: { name, inputSchema: { ...inputSchema, type: "object" } },
      ...(onProgress && { onprogress: boundProgress(onProgress) }),
    },
  );
  const { structuredContent } = result;
  return {
    type: "result",
    content: storable(result.content, "The content of the result") as McpContent[],
    ...(structuredContent !== undefined && {
      structuredContent: storable(structuredContent, "The structured content of the result"),
    }),
    isError: result.isError === true,
  };
}

const MAX_PROGRESS_MESSAGE = 2000;

function boundProgress(onProgress: (progress: McpProgress) => void) {
  return ({ progress, total, message }: ProgressParams): void => {
    if (!Number.isFinite(progress)) return;
    onProgress({
      progress,
      ...(total !== undefined && Number.isFinite(total) && { total }),
      ...(message !== undefined && { message: toStorable(message.slice(0, MAX_PROGRESS_MESSAGE)) }),
    });
  };
}

interface ProgressParams {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** How Parley names itself to servers, and which private hosts it may call. */
export interface McpConnectionsOptions {
  readonly allowedHosts: readonly string[];
  /** Hosts of endpoints that the operator allows, each with its issuer: `accounts.example=api.example.net`. */
  readonly endpointHosts?: readonly string[];
  readonly name: string;
  readonly version: string;
  /** Replaces DNS in tests. */
  readonly resolve?: ResolveHost;
}

/**
 * Makes the connections of a process. Each listing and each call has connections of its own, which end with
 * it. Throws for an entry of `allowedHosts` that is not a host.
 */
export function createMcpConnections(options: McpConnectionsOptions): McpConnections {
  const guard = createGuard(options);
  const negotiations = createNegotiations();
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  const leaving = new Set<Promise<unknown>>();
  const track = <T>(promises: Set<Promise<unknown>>, promise: Promise<T>): Promise<T> => {
    promises.add(promise);
    void promise.finally(() => promises.delete(promise));
    return promise;
  };

  const { endpointHosts = [] } = options;
  const discover: Discover = async (url, step) => {
    const challenge = await readChallenge(url, step);
    return discoverAuthorizationServer(guard, url, { ...step, ...challenge, endpointHosts });
  };

  /** What a server says to a stranger of how to get a token; nothing if it lets strangers in. */
  async function readChallenge(url: string, step: OAuthOptions): Promise<McpChallenge> {
    const limits = { ...step, timeoutMs: step.timeoutMs / 3, maxBytes: MAX_GREETING_BYTES };
    const work: Work<undefined> = { isFresh: true, run: async () => undefined };
    const answer = await converse({ url, headers: {} }, limits, work);
    return answer?.code === "unauthorized" ? (answer.authorization ?? {}) : {};
  }

  async function converse<T>(
    server: McpServer,
    limits: McpLimits & { signal: AbortSignal },
    work: Work<T>,
  ): Promise<T | McpFailure> {
    const known = work.isFresh ? undefined : negotiations.get(server);
    const signal = AbortSignal.any([limits.signal, closing.signal]);
    const { timeoutMs, maxBytes } = limits;
    let exchange: Exchange;
    try {
      const { endpoint } = known ?? {};
      exchange = openExchange(guard, server, {
        timeoutMs,
        maxBytes,
        signal,
        endpoint,
        listens: !work.isFresh,
      });
    } catch (error) {
      return toFailure(reasonOf(error), server, false);
    }
    const client = newClient(options);
    const transport = new StreamableHTTPClientTransport(exchange.endpoint, {
      fetch: exchange.fetch,
      redirectPolicy: "follow",
      requestInit: { headers: { ...server.headers } },
    });
    // The exchange measures time; the client's own measure is behind it.
    const patience = { signal: exchange.signal, timeout: timeoutMs + CLIENT_TIMEOUT_MARGIN_MS };
    const connectAndWork = async (): Promise<T> => {
      await connect(client, transport, known, patience);
      negotiations.remember(server, client, exchange.endpoint);
      return work.run(client, exchange, patience);
    };
    try {
      return await unlessFailed(exchange, connectAndWork);
    } catch (error) {
      const failure = toFailure(exchange.reason ?? reasonOf(error), server, exchange.isCallSent);
      if (mayBeStale.has(failure.code)) negotiations.forget(server);
      return failure;
    } finally {
      void track(leaving, leave(client, transport, exchange));
    }
  }

  return {
    listTools: (server, limits) => {
      // A listing is when a server that was renewed is found out.
      const work: Work<ListedTools> = {
        isFresh: true,
        run: (client, _exchange, patience) => listTools(client, patience),
      };
      return track(running, converse(server, limits, work));
    },
    callTool: (server, call, limits) => {
      const work: Work<ToolResult> = {
        isFresh: false,
        run: async (client, exchange, patience) => {
          const { onProgress } = limits;
          const result = await callTool(client, call, { ...patience, onProgress });
          return { ...result, toolsChanged: exchange.toolsChanged };
        },
      };
      return track(running, converse(server, limits, work));
    },
    authorization: createPersonalAuthorization(guard, discover),
    requestToken: async (server, { clientId, clientSecret, scope }, limits) => {
      const signal = AbortSignal.any([limits.signal, closing.signal]);
      const step = { timeoutMs: limits.timeoutMs, signal };
      const found = await discover(server.url, step);
      if (hasFailed(found)) return { ...found, sent: false };
      const from = { server: found, client: { clientId, clientSecret } };
      const asked = scope ?? found.scopes?.join(" ");
      const tokens = await requestClientCredentials(guard, from, {
        ...step,
        ...(asked !== undefined && { scope: asked }),
      });
      if (hasFailed(tokens)) return { ...tokens, sent: false };
      const { accessToken, expiresInMs } = tokens;
      return { type: "issued", accessToken, ...(expiresInMs !== undefined && { expiresInMs }) };
    },
    close: async () => {
      closing.abort();
      await Promise.allSettled(running);
      await Promise.allSettled(leaving);
    },
  };
}

interface Work<T> {
  /** Whether to negotiate again, whatever is known. */
  readonly isFresh: boolean;
  run(client: Client, exchange: Exchange, patience: Patience): Promise<T>;
}

interface Patience {
  readonly signal: AbortSignal;
  readonly timeout: number;
}

const MAX_GREETING_BYTES = 262_144;
const CLIENT_TIMEOUT_MARGIN_MS = 5000;

/** Failures after which what is known of a server is not used again. */
const mayBeStale: ReadonlySet<string> = new Set(["bad_answer", "rejected"]);

/** Schemas of servers are data: results are checked elsewhere, in a thread. */
const unchecked: jsonSchemaValidator = {
  getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
};

/** A client that has nothing to offer to servers: no sampling, no elicitation, no roots. */
function newClient({ name, version }: McpConnectionsOptions): Client {
  return new Client(
    { name, version },
    {
      capabilities: {},
      versionNegotiation: { mode: "auto" },
      inputRequired: { autoFulfill: false },
      jsonSchemaValidator: unchecked,
    },
  );
}

async function connect(
  client: Client,
  transport: StreamableHTTPClientTransport,
  known: Negotiation | undefined,
  patience: Patience,
): Promise<void> {
  await client.connect(transport, { ...patience, ...(known && { prior: known.prior }) });
}

/** Does the work, unless the exchange fails first: the client does not hear of every fault. */
async function unlessFailed<T>(exchange: Exchange, work: () => Promise<T>): Promise<T> {
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => {});
  const onFail = () => reject(new FetchFault("cancelled", "The exchange failed"));
  if (exchange.signal.aborted) onFail();
  exchange.signal.addEventListener("abort", onFail, { once: true });
  const working = exchange.signal.aborted ? failed : work();
  working.catch(() => {});
  return Promise.race([failed, working]);
}

/** Says goodbye after the caller has its answer: cancels what runs on, and ends a session. */
async function leave(
  client: Client,
  transport: StreamableHTTPClientTransport,
  exchange: Exchange,
): Promise<void> {
  // The client's cancellation asks for its request a few microtasks after the abort.
  await new Promise((resolve) => void setImmediate(resolve));
  await exchange.leave();
  await transport.terminateSession().catch(() => {});
  await client.close().catch(() => {});
  await exchange.close();
}
