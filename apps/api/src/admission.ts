import { findKeptKey, type IdempotencyKey, requireWorkspace, scopeOfKey } from "@parley/core";
import type { JsonEndpoint, RateLimitClass } from "@parley/schema";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Repeats } from "./repeats.ts";
import { type ApiServices, callerOf } from "./requests.ts";

/**
 * Charges a request against its limit before its body is read, and gives its Idempotency-Key. Where
 * something was made under the key, it counts as a read. Throws `rate_limit_error`.
 */
export type Admit = (
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<IdempotencyKey | undefined>;

/** What the first of several requests with one key was charged, and what it found under the key. */
interface Charge {
  readonly headers: Record<string, string>;
  readonly kept: Promise<IdempotencyKey["kept"]>;
}

/** Makes what admits the requests of one endpoint. */
export function createAdmit(
  services: ApiServices,
  endpoint: JsonEndpoint,
  repeats: Pick<Repeats, "chargeOf">,
): Admit {
  // One of the requests that share a key makes something, so until it is made they share a charge:
  // the refusal of the first refuses them all.
  const charges = new Map<string, Charge>();

  const charge = (
    request: FastifyRequest,
    kind: RateLimitClass,
    setHeaders: (headers: Record<string, string>) => void,
  ) => services.rateLimits.consume(kind, callerOf(request).apiKey.sid, setHeaders);

  const chargeFirst = (request: FastifyRequest, scope: string): Charge => {
    const headers = {};
    const lookUp = async (): Promise<IdempotencyKey["kept"]> => {
      const { wId } = request.params as { wId: string };
      const { id: workspaceId } = requireWorkspace(callerOf(request), wId).workspace;
      const kept = await findKeptKey(services.core, { workspaceId, scope });
      const kind = kept === undefined ? endpoint.rateLimit : "read";
      await charge(request, kind, (ofCharge) => Object.assign(headers, ofCharge));
      return kept;
    };
    return { headers, kept: lookUp() };
  };

  return async (request, reply) => {
    const before = repeats.chargeOf(request.raw);
    if (before !== undefined) {
      reply.headers(before.headers);
      if (before.refusal !== undefined) throw before.refusal;
      return undefined;
    }
    const sent = request.raw.headersDistinct["idempotency-key"];
    const isKeyed = endpoint.method === "POST" && sent !== undefined;
    const scope = isKeyed ? scopeOf(request, endpoint, sent) : undefined;
    const onReplay = (): void => void reply.header("Idempotent-Replayed", "true");
    if (scope === undefined) {
      await charge(request, endpoint.rateLimit, (headers) => void reply.headers(headers));
      return isKeyed ? { scope, kept: undefined, onReplay, onRelease: () => {} } : undefined;
    }
    const shared = charges.get(scope);
    const own = shared ?? chargeFirst(request, scope);
    const onRelease = (): void => void charges.delete(scope);
    // The event of a connection that is gone already does not come any more.
    if (shared === undefined && !reply.raw.closed) {
      charges.set(scope, own);
      reply.raw.once("close", () => {
        if (charges.get(scope) === own) charges.delete(scope);
      });
    }
    try {
      const kept = await own.kept;
      // Nothing more is made: each replay is charged.
      if (kept !== undefined) onRelease();
      return { scope, kept, onReplay, onRelease };
    } finally {
      reply.headers(own.headers);
    }
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
