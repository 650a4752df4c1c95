import { findKeptKey, type IdempotencyKey, requireWorkspace, scopeOfKey } from "@parley/core";
import type { JsonEndpoint, RateLimitClass } from "@parley/schema";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type ApiServices, callerOf } from "./requests.ts";

/**
 * Charges a request against its limit before its body is read. With an Idempotency-Key it counts as
 * a read, and beyond that as what it makes only where nothing was made under the key. Gives the key.
 * Throws `rate_limit_error`.
 */
export type Admit = (
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<IdempotencyKey | undefined>;

/** Makes what admits the requests of one endpoint. */
export function createAdmit(services: ApiServices, endpoint: JsonEndpoint): Admit {
  // Requests that come with a key while another one with it is open share its charge: one that is
  // refused refuses them too, and one that is not pays for whichever of them makes something.
  const charges = new Map<string, Promise<IdempotencyKey["kept"]>>();

  return async (request, reply) => {
    const charge = (kind: RateLimitClass) =>
      services.rateLimits.consume(
        kind,
        callerOf(request).apiKey.sid,
        (headers) => void reply.headers(headers),
      );
    const sent = request.raw.headersDistinct["idempotency-key"];
    if (endpoint.method !== "POST" || sent === undefined) {
      await charge(endpoint.rateLimit);
      return undefined;
    }
    const onReplay = (): void => void reply.header("Idempotent-Replayed", "true");
    const scope = scopeOf(request, endpoint, sent);
    if (scope === undefined) {
      await charge(endpoint.rateLimit);
      return { scope, kept: undefined, onReplay };
    }
    // The look-up is a read; this keeps who is over another limit from looking up without bound.
    await charge("read");
    const open = charges.get(scope);
    if (open !== undefined) {
      await open;
      return { scope, kept: undefined, onReplay };
    }
    const lookUp = async (): Promise<IdempotencyKey["kept"]> => {
      const { wId } = request.params as { wId: string };
      const { id: workspaceId } = requireWorkspace(callerOf(request), wId).workspace;
      const kept = await findKeptKey(services.core, { workspaceId, scope });
      if (kept === undefined && endpoint.rateLimit !== "read") await charge(endpoint.rateLimit);
      return kept;
    };
    const looked = lookUp();
    // The event of a connection that is gone already does not come any more.
    if (!reply.raw.closed) {
      charges.set(scope, looked);
      reply.raw.once("close", () => charges.delete(scope));
    }
    return { scope, kept: await looked, onReplay };
  };
}

/** The scope of the one well-formed key of a request; none where it is malformed or there are more. */
function scopeOf(
  request: FastifyRequest,
  { path: route }: JsonEndpoint,
  sent: readonly string[],
): string | undefined {
  const [key = "", ...others] = sent;
  // What is no control character, whatever the encoding.
  if (others.length > 0 || !/^[\u0020-\u007e\u0080-\u00ff]{1,255}$/.test(key)) return undefined;
  const apiKeyId = callerOf(request).apiKey.sid;
  return scopeOfKey({ apiKeyId, route, params: request.params, key });
}
