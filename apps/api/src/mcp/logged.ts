import { toProtocolError } from "./errors.ts";
import type { McpExchange } from "./exchange.ts";

/** Answers a message and logs its line. Throws a `ProtocolError` that hides what is not the caller's. */
export async function logged<Result>(
  exchange: McpExchange,
  method: string,
  answer: () => Promise<Result>,
): Promise<Result> {
  const { request } = exchange;
  const startedAt = performance.now();
  let error: string | undefined;
  try {
    return await answer();
  } catch (thrown) {
    const known = toProtocolError(exchange, thrown);
    error = (known.data as { type?: string } | undefined)?.type ?? String(known.code);
    throw known;
  } finally {
    const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
    request.log.info({ ...request.logFields, method, durationMs, error }, "MCP request");
  }
}
