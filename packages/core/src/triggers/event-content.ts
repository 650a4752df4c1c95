import {
  countValues,
  isDeeperThan,
  MAX_VALUES,
  ParleyError,
  toStorable,
  type TriggerSource,
} from "@parley/schema";
import type { ReceivedRequest } from "./signatures.ts";

const FORM = "application/x-www-form-urlencoded";
const MAX_DEPTH = 64;
const MAX_FIELDS = 1000;
const MAX_KEY_CHARACTERS = 255;
const decoder = new TextDecoder("utf-8", { fatal: true });

// What authenticates a request, and what only concerns its connection.
const dropped =
  /^(?:accept(?:-.*)?|connection|content-length|cookie2?|expect|forwarded|host|keep-alive|te|trailer|transfer-encoding|upgrade|via|x-forwarded-.*|x-real-ip)$|authorization|credential|password|secret|signature|token|api-?key/;

const invalid = (what: string): ParleyError =>
  new ParleyError("invalid_request_error", `Invalid request body: ${what}`);

/** The headers of a request that are kept: none that has a credential. */
export function keptHeaders({
  headers,
}: Pick<ReceivedRequest, "headers">): Readonly<Record<string, string>> {
  const kept = Object.entries(headers).filter(([name]) => !dropped.test(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, toStorable(value)]));
}

const typeOf = ({ headers }: Pick<ReceivedRequest, "headers">): string =>
  headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
const isJson = (type: string): boolean =>
  type === "application/json" || /^application\/[\w.-]+\+json$/.test(type);

/**
 * The JSON of an event's body, or the fields of its form; JSON in the only field `payload` is read. Throws
 * `invalid_request_error` for anything else, and for what is nested too deeply or holds too many values.
 */
export function readEventBody(
  request: ReceivedRequest,
  { readsForms }: { readonly readsForms: boolean },
): unknown {
  const type = typeOf(request);
  const text = decode(request.body);
  if (type === FORM && readsForms) return readForm(text);
  if (isJson(type)) return readJson(text);
  const forms = readsForms ? " or a form's" : "";
  throw invalid(`the content type must be application/json${forms}`);
}

/** The same of an event that was received, as JSON: that of a body is not parsed again. */
export function bodyAsJson(request: ReceivedRequest): string {
  if (isJson(typeOf(request))) return decode(request.body);
  return JSON.stringify(readEventBody(request, { readsForms: true }));
}

function decode(body: Uint8Array): string {
  try {
    return decoder.decode(body);
  } catch {
    throw invalid("not valid UTF-8");
  }
}

function readJson(text: string): unknown {
  if (countValues(text) > MAX_VALUES) throw invalid(`must hold at most ${MAX_VALUES} values`);
  if (isDeeperThan(text, MAX_DEPTH)) throw invalid(`must not be nested deeper than ${MAX_DEPTH}`);
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("malformed JSON");
  }
}

function readForm(text: string): unknown {
  // A field follows an ampersand.
  const fields = text.split("&", MAX_FIELDS + 1);
  if (fields.length > MAX_FIELDS) throw invalid(`must have at most ${MAX_FIELDS} fields`);
  const parsed = Object.fromEntries(new URLSearchParams(text));
  const { payload } = parsed;
  return payload !== undefined && Object.keys(parsed).length === 1 ? readJson(payload) : parsed;
}

/** The text that an event of Slack asks for, to see whether its URL is that of a receiver; undefined in any other event. */
export function challengeOf(
  source: Pick<TriggerSource, "type">,
  body: unknown,
): string | undefined {
  if (source.type !== "slack" || memberOf(body, "type") !== "url_verification") return undefined;
  return memberOf(body, "challenge")?.slice(0, 1024);
}

/** Whether an event only tries whether it arrives. */
export function isPing(
  source: Pick<TriggerSource, "type">,
  { headers }: Pick<ReceivedRequest, "headers">,
) {
  return source.type === "github" && headers["x-github-event"] === "ping";
}

type Sent = (headers: ReceivedRequest["headers"], body: unknown) => string | undefined;

const sentKeys: Readonly<Partial<Record<TriggerSource["type"], Sent>>> = {
  standard_webhooks: (headers) => headers["webhook-id"],
  github: (headers) => headers["x-github-delivery"],
  stripe: (_headers, body) => memberOf(body, "id"),
  slack: (_headers, body) => memberOf(body, "event_id"),
};

/** What its source knows an event by; undefined if it does not say. Throws `invalid_request_error` for one that is too long. */
export function sentKey(
  { type }: Pick<TriggerSource, "type">,
  { headers }: Pick<ReceivedRequest, "headers">,
  body: unknown,
): string | undefined {
  return boundKey(sentKeys[type]?.(headers, body));
}

/** The key of an event, as it is stored; undefined for an empty one. Throws `invalid_request_error` for one that is too long. */
export function boundKey(key: string | undefined): string | undefined {
  if (key === undefined || key === "") return undefined;
  if (key.length <= MAX_KEY_CHARACTERS) return toStorable(key);
  throw invalid(`the key of an event must be at most ${MAX_KEY_CHARACTERS} characters`);
}

function memberOf(body: unknown, name: string): string | undefined {
  if (typeof body !== "object" || body === null || !Object.hasOwn(body, name)) return undefined;
  const value = (body as Record<string, unknown>)[name];
  return typeof value === "string" ? value : undefined;
}
