import type { FastifyRequest } from "fastify";
import { payerOf } from "../limits/payer.ts";
import type { ApiServices } from "../services.ts";

/** The workspace that large bodies of a request count against; a key of none stands for itself. */
function payerName({ caller }: FastifyRequest): string | undefined {
  if (caller === null) return undefined;
  const { workspaceId, keyId } = payerOf(caller);
  return workspaceId ?? keyId;
}

/** Refuses a large body, before it is read, where its workspace has sent too many. */
export function requireRoom({ loopShares }: ApiServices, request: FastifyRequest): void {
  const payer = payerName(request);
  const { method, headers } = request;
  const declared = headers["content-length"];
  const length = declared === undefined ? undefined : Number(declared);
  if (payer !== undefined && method !== "GET" && method !== "HEAD")
    loopShares.requireRoom(payer, length);
}

/** Waits until a large body may be parsed. Throws `rate_limit_error`. */
export async function takeTurn(
  { loopShares }: ApiServices,
  request: FastifyRequest,
  text: string,
): Promise<void> {
  const payer = payerName(request);
  if (payer !== undefined) await loopShares.take(payer, text);
}
