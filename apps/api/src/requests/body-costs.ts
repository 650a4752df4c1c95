import { setImmediate } from "node:timers/promises";
import { countValues, MAX_VALUES, tooManyValues } from "@parley/schema";
import type { FastifyRequest } from "fastify";
import { LARGE_BYTES } from "../limits/loop-shares.ts";
import { payerOf } from "../limits/payer.ts";
import type { ApiServices } from "../services.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Most values of the body, where that is less than of any body. */
    maxValues: number | undefined;
    /** Values of the body that were charged before it was read, with all of its bytes. */
    reservedValues: number | undefined;
  }
}

/** A value of a query takes about so many bytes. */
const BYTES_PER_VALUE = 8;
/** A value of a body takes at least so many: itself and a comma. */
const MIN_BYTES_PER_VALUE = 2;

/** The workspace that bodies of a request count against; a key of none stands for itself. */
function payerName({ caller }: FastifyRequest): string | undefined {
  if (caller === null) return undefined;
  const { workspaceId, keyId } = payerOf(caller);
  return workspaceId ?? keyId;
}

/** What a body is taken to be worth that is refused for its values: they were counted, and the answer is written. */
const REFUSED_VALUES = 1000;

function declaredLength({ headers }: FastifyRequest): number | undefined {
  const declared = headers["content-length"];
  return declared === undefined ? undefined : Number(declared);
}

const mayHaveBody = ({ method }: FastifyRequest): boolean => method !== "GET" && method !== "HEAD";

/** Refuses a form, before it is read, where its workspace has sent too much. */
export function requireRoom({ loopShares }: ApiServices, request: FastifyRequest): void {
  const payer = payerName(request);
  if (payer !== undefined && mayHaveBody(request)) {
    loopShares.requireRoom(payer, declaredLength(request));
  }
}

/**
 * Returns once a body may be read. A large one waits unread, and holds nothing: it is charged as if it held as many
 * values as it may, each as `valueWeight`. Throws `rate_limit_error` where its workspace has sent too many.
 */
export async function takePlace(
  services: ApiServices,
  request: FastifyRequest,
  valueWeight = 1,
): Promise<void> {
  const payer = payerName(request);
  const length = declaredLength(request);
  requireRoom(services, request);
  if (payer === undefined || length === undefined || length < LARGE_BYTES || !mayHaveBody(request))
    return;
  const { maxValues = MAX_VALUES } = request;
  const values = Math.min(maxValues, length / MIN_BYTES_PER_VALUE) * valueWeight;
  request.reservedValues = values;
  await services.loopShares.reserve(payer, { bytes: length, values });
}

/**
 * Charges a body, and returns once it may be parsed. Throws `rate_limit_error`, and `invalid_request_error`
 * where the body holds more values than its endpoint admits.
 */
export async function takeTurn(
  services: ApiServices,
  request: FastifyRequest,
  text: string,
): Promise<void> {
  if (!(await chargeBody(services, request, text))) {
    throw tooManyValues(request.maxValues ?? MAX_VALUES);
  }
}

/**
 * Charges a body as `takeTurn` does, and returns whether it holds no more values than it may. Each is charged as
 * `valueWeight`.
 */
export async function chargeBody(
  { loopShares }: ApiServices,
  request: FastifyRequest,
  text: string,
  valueWeight = 1,
): Promise<boolean> {
  const payer = payerName(request);
  const { maxValues = MAX_VALUES } = request;
  const counted = countValues(text, maxValues);
  const isParsed = counted <= maxValues;
  const values = (isParsed ? counted : REFUSED_VALUES) * valueWeight;
  if (payer === undefined) return isParsed;
  const { reservedValues } = request;
  if (reservedValues === undefined) {
    await loopShares.take(payer, { bytes: text.length, values });
    return isParsed;
  }
  loopShares.spend(payer, { values: values - reservedValues });
  // Joining and decoding a large body holds the event loop as long as parsing it does.
  await setImmediate();
  return isParsed;
}

/** The same for a query, which holds the input of a read. */
export async function takeTurnOfQuery(
  { loopShares }: ApiServices,
  request: FastifyRequest,
): Promise<void> {
  const payer = payerName(request);
  const { length } = request.url;
  if (payer === undefined) return;
  await loopShares.take(payer, { bytes: length, values: length / BYTES_PER_VALUE });
}

/** Charges the bytes of a form as they come; the form flows from here on. */
export function chargeForm({ loopShares }: ApiServices, request: FastifyRequest): void {
  const payer = payerName(request);
  if (payer === undefined) return;
  request.raw.on("data", ({ length }: Buffer) => loopShares.spend(payer, { bytes: length }));
}
