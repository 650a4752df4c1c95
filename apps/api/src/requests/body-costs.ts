import { countValues, MAX_VALUES, tooManyValues } from "@parley/schema";
import type { FastifyRequest } from "fastify";
import { BODY_LIMIT_BYTES, type BodyCost, LARGE_BYTES } from "../limits/loop-shares.ts";
import { accountName, payerOf } from "../limits/payer.ts";
import type { ApiServices, Exchange } from "../services.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Most values of the body, if that is less than of any body. */
    maxValues: number | undefined;
    /** What the body was charged for before it was read. */
    taken: BodyCost | undefined;
  }
}

/** A value of a query takes about so many bytes. */
const BYTES_PER_VALUE = 8;
/** A value of a body takes at least so many: itself and a comma. */
const MIN_BYTES_PER_VALUE = 2;

/** The account that bodies of a request count against. */
function payerName({ caller }: FastifyRequest): string | undefined {
  return caller === null ? undefined : accountName(payerOf(caller));
}

/** What a body is taken to be worth that is refused for its values: they were counted, and the answer is written. */
const REFUSED_VALUES = 1000;

function declaredLength({ headers }: FastifyRequest): number | undefined {
  const declared = headers["content-length"];
  return declared === undefined ? undefined : Number(declared);
}

const mayHaveBody = ({ method }: FastifyRequest): boolean => method !== "GET" && method !== "HEAD";

/** Refuses a form, before it is read, if its workspace has sent too much. */
export function requireRoom({ loopShares }: ApiServices, request: FastifyRequest): void {
  const payer = payerName(request);
  if (payer !== undefined && mayHaveBody(request)) {
    loopShares.requireRoom(payer, declaredLength(request));
  }
}

/**
 * Returns once a body may be read. A large one waits unread, and holds nothing: it is charged as if it held as many
 * values as it may, each as `valueWeight`. Throws `rate_limit_error` if its workspace has sent too many.
 */
export async function takePlace(
  services: ApiServices,
  { request, reply }: Exchange,
  valueWeight = 1,
): Promise<void> {
  const payer = payerName(request);
  requireRoom(services, request);
  if (payer === undefined || !mayHaveBody(request)) return;
  // A body without a declared length is charged as the largest that is accepted.
  const isChunked = request.headers["transfer-encoding"] !== undefined;
  const declared = declaredLength(request) ?? (isChunked ? BODY_LIMIT_BYTES : 0);
  const bytes = Math.min(declared, BODY_LIMIT_BYTES);
  if (bytes < LARGE_BYTES) return;
  const { maxValues = MAX_VALUES } = request;
  const values = Math.min(maxValues, bytes / MIN_BYTES_PER_VALUE) * valueWeight;
  const turn = services.loopShares.take(payer, { bytes, values });
  request.taken = { bytes, values };
  const { socket } = request.raw;
  const before = socket.bytesRead;
  reply.raw.once("close", () => {
    // It was malformed, or its client has gone.
    const read = Math.min(socket.bytesRead - before, bytes);
    settle(services, request, { bytes: read, values: 0 });
  });
  await turn;
}

/** Charges a body that was charged before it was read for what it was, once. */
function settle({ loopShares }: ApiServices, request: FastifyRequest, cost: BodyCost): void {
  const payer = payerName(request);
  const { taken } = request;
  if (payer === undefined || taken === undefined) return;
  request.taken = undefined;
  loopShares.correct(payer, taken, cost);
}

/**
 * Charges a body, and returns once it may be parsed. Throws `rate_limit_error`, and `invalid_request_error`
 * if the body holds more values than its endpoint admits.
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
  services: ApiServices,
  request: FastifyRequest,
  text: string,
  valueWeight = 1,
): Promise<boolean> {
  const payer = payerName(request);
  const { maxValues = MAX_VALUES } = request;
  const counted = countValues(text, maxValues);
  const isParsed = counted <= maxValues;
  const values = (isParsed ? counted : REFUSED_VALUES) * valueWeight;
  const cost = { bytes: text.length, values };
  if (payer === undefined) return isParsed;
  if (request.taken === undefined) await services.loopShares.take(payer, cost);
  else settle(services, request, cost);
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
  request.raw.on("data", ({ length }: Buffer) => loopShares.spendForm(payer, length));
}
