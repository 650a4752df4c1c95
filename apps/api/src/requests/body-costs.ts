import { countValues, MAX_VALUES, tooManyValues } from "@parley/schema";
import type { FastifyRequest } from "fastify";
import { payerOf } from "../limits/payer.ts";
import type { ApiServices } from "../services.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Most values of the body, where that is less than of any body. */
    maxValues: number | undefined;
  }
}

/** A value of a query takes at least so many bytes. */
const BYTES_PER_VALUE = 8;

/** The workspace that bodies of a request count against; a key of none stands for itself. */
function payerName({ caller }: FastifyRequest): string | undefined {
  if (caller === null) return undefined;
  const { workspaceId, keyId } = payerOf(caller);
  return workspaceId ?? keyId;
}

/** Refuses a body, before it is read, where its workspace has sent too many. */
export function requireRoom({ loopShares }: ApiServices, request: FastifyRequest): void {
  const payer = payerName(request);
  const { method, headers } = request;
  const declared = headers["content-length"];
  const length = declared === undefined ? undefined : Number(declared);
  if (payer !== undefined && method !== "GET" && method !== "HEAD")
    loopShares.requireRoom(payer, length);
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

/** Charges a body as `takeTurn` does, and returns whether it holds no more values than it may. */
export async function chargeBody(
  { loopShares }: ApiServices,
  request: FastifyRequest,
  text: string,
): Promise<boolean> {
  const payer = payerName(request);
  const { maxValues = MAX_VALUES } = request;
  const values = countValues(text, maxValues);
  const isParsed = values <= maxValues;
  if (payer !== undefined) {
    await loopShares.take(payer, { bytes: text.length, values: isParsed ? values : 0 });
  }
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
  request.raw.on("data", ({ length }: Buffer) => loopShares.spend(payer, length));
}
