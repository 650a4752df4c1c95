import { findIdempotencyKey, type IdempotencyKey, scopeOfKey } from "@parley/core";
import { type DoorEndpoint, type Endpoint, isKeyed, type JsonEndpoint } from "@parley/schema";
import type { FastifyRequest } from "fastify";
import { callerName, payerOf } from "../limits/payer.ts";
import type { ApiServices, Exchange } from "../services.ts";
import { authenticate, callerOf, workspaceCallerOf } from "./authenticate.ts";

/** Charges a request against the limit of its endpoint. Throws `rate_limit_error`. */
export async function charge(
  { rateLimits }: ApiServices,
  { rateLimit }: Pick<Endpoint, "rateLimit">,
  { request, reply }: Exchange,
): Promise<void> {
  await rateLimits.consume(
    rateLimit,
    payerOf(callerOf(request)),
    (headers) => void reply.headers(headers),
  );
}

/** Checks the credential of a request, and charges it, before a byte of its body is read. */
export async function authenticateAndCharge(
  services: ApiServices,
  endpoint: Pick<Endpoint, "rateLimit">,
  exchange: Exchange,
): Promise<void> {
  await authenticate(services, exchange.request);
  await charge(services, endpoint, exchange);
}

/** The charge of the first of several requests with one key, and what the key's first request created. */
interface Charge {
  readonly headers: Record<string, string>;
  readonly stored: Promise<IdempotencyKey["stored"]>;
}

/**
 * Returns a function that charges the requests of an endpoint before their body is read,
 * and returns their Idempotency-Key. A replay counts as a read. Throws `rate_limit_error`.
 */
export function createChargeRequest(services: ApiServices, endpoint: JsonEndpoint | DoorEndpoint) {
  // Only one of the requests that share a key creates something, so until then they share a charge:
  // the refusal of the first refuses them all.
  const charges = new Map<string, Charge>();

  const chargeFirst = (request: FastifyRequest, scope: string): Charge => {
    const headers = {};
    const lookUp = async (): Promise<IdempotencyKey["stored"]> => {
      const { id: workspaceId } = workspaceCallerOf(request).workspace;
      const stored = await findIdempotencyKey(services.core, { workspaceId, scope });
      const kind = stored === undefined ? endpoint.rateLimit : "read";
      const setHeaders = (ofCharge: object): void => void Object.assign(headers, ofCharge);
      await services.rateLimits.consume(kind, payerOf(callerOf(request)), setHeaders);
      return stored;
    };
    return { headers, stored: lookUp() };
  };

  return async ({ request, reply }: Exchange): Promise<IdempotencyKey | undefined> => {
    const sent = request.raw.headersDistinct["idempotency-key"];
    const hasKey = isKeyed(endpoint) && sent !== undefined;
    const scope = hasKey ? scopeOf(request, endpoint, sent) : undefined;
    const onReplay = (): void => void reply.header("Idempotent-Replayed", "true");
    if (scope === undefined) {
      await charge(services, endpoint, { request, reply });
      return hasKey ? { scope, stored: undefined, onReplay, onRelease: () => {} } : undefined;
    }
    const shared = charges.get(scope);
    const own = shared ?? chargeFirst(request, scope);
    const onRelease = (): void => void charges.delete(scope);
    // A connection that has closed already emits no more events.
    if (shared === undefined && !reply.raw.closed) {
      charges.set(scope, own);
      reply.raw.once("close", () => {
        if (charges.get(scope) === own) charges.delete(scope);
      });
    }
    try {
      const stored = await own.stored;
      // Nothing more is created: each replay is charged.
      if (stored !== undefined) onRelease();
      return { scope, stored, onReplay, onRelease };
    } finally {
      reply.headers(own.headers);
    }
  };
}

/** The scope of the one well-formed key of a request; none if it is malformed or there are more. */
function scopeOf(
  request: FastifyRequest,
  { path: route }: Pick<Endpoint, "path">,
  sent: readonly string[],
): string | undefined {
  const [key = "", ...others] = sent;
  // Anything but control characters.
  if (others.length > 0 || !/^[\u0020-\u007e\u0080-\u00ff]{1,255}$/.test(key)) return undefined;
  const caller = callerName(payerOf(callerOf(request)));
  return scopeOfKey({ caller, route, params: request.params, key });
}
