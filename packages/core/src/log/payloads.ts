/**
 * Events as their logs store them, and as followers get them. An agent's configuration may have half a
 * megabyte of instructions, so a log names the agent's version and its status at the time, which the
 * configuration replaces when the event is read (docs/decisions/events-name-agents.md). URLs of Parley's own
 * are stored as paths: which host they have is known to the process that reads them.
 */
import type { AgentConfiguration, LogEvent } from "@parley/schema";
import type { Hint, StoredEvent } from "./bus.ts";
import { type Page, PAGE_BYTES } from "./read-log.ts";

/** Characters of the events that a hint may carry; a hint of more has none. */
export const MAX_HINT_LENGTH = 64 * 1024;

/** The JSON of an event, as its log stores it. */
export function toPayload(event: LogEvent): string {
  // What a client's server gets is JSON-RPC, which has no member more.
  if (event.type === "client_server_message") return JSON.stringify(event.message);
  if (event.type !== "agent_message_new" && event.type !== "agent_message_success") {
    return JSON.stringify(event);
  }
  const { id, status } = event.message.configuration;
  const configuration = { agentVersion: id, status };
  return JSON.stringify({ ...event, message: { ...event.message, configuration } });
}

const MEMBER = '"configuration":';
const REFERENCE = /"configuration":\{"agentVersion":(\d+),"status":"(\w+)"\}/y;

/** Where an event names an agent's version. Older events contain the whole configuration. */
function findReference({ type, payload }: StoredEvent) {
  if (type !== "agent_message_new" && type !== "agent_message_success") return undefined;
  // The first match is the message's own: before it are only numbers and texts, in which quotation marks
  // are escaped. After it may be anything, as in the parameters of a call.
  const start = payload.indexOf(MEMBER);
  REFERENCE.lastIndex = start;
  const found = start === -1 ? null : REFERENCE.exec(payload);
  if (found === null) return undefined;
  const [text, id, status = ""] = found;
  return { start, end: start + text.length, id: Number(id), status };
}

const IMAGE = '"image":"';
const OWN_IMAGE = `${IMAGE}/pictures/`;

/** An author's default picture, which is stored as a path, with its host. Older events contain the URL. */
function withPicture(
  event: StoredEvent,
  { publicUrl }: Pick<Configurations, "publicUrl">,
): StoredEvent {
  const { type, payload } = event;
  if (type !== "user_message_new") return event;
  // As above, the first match is the author's own.
  const start = payload.indexOf(IMAGE);
  if (start === -1 || !payload.startsWith(OWN_IMAGE, start)) return event;
  const image = start + IMAGE.length;
  const url = JSON.stringify(publicUrl).slice(1, -1);
  return { ...event, payload: payload.slice(0, image) + url + payload.slice(image) };
}

/** What events need to be shown: the configurations of agents' versions, whatever their status. */
export interface Configurations {
  /** Absolute URL that clients see, without a slash at its end. */
  readonly publicUrl: string;
  /** A configuration; undefined if there is none. */
  get(id: number): Promise<AgentConfiguration | undefined>;
  /** What `get` would now give without reading it; undefined if it would read. */
  peek(id: number): AgentConfiguration | undefined;
}

function fill(
  event: StoredEvent,
  { start, end, status }: NonNullable<ReturnType<typeof findReference>>,
  configuration: AgentConfiguration,
): StoredEvent {
  const { payload } = event;
  const json = JSON.stringify({ ...configuration, status });
  return { ...event, payload: payload.slice(0, start) + MEMBER + json + payload.slice(end) };
}

/**
 * A page as followers get it. It ends early if the configurations make it too large, but has at least
 * one event.
 */
export async function renderPage(configurations: Configurations, page: Page): Promise<Page> {
  const events: StoredEvent[] = [];
  let length = 0;
  for (const event of page.events) {
    const rendered = await renderEvent(configurations, event);
    length += rendered.payload.length;
    if (length > PAGE_BYTES && events.length > 0) break;
    events.push(rendered);
  }
  return { ...page, events };
}

/** One event as followers get it. */
export async function renderEvent(
  configurations: Configurations,
  event: StoredEvent,
): Promise<StoredEvent> {
  const reference = findReference(event);
  if (reference === undefined) return withPicture(event, configurations);
  const configuration = await configurations.get(reference.id);
  if (configuration === undefined)
    throw new Error(`An event names agent ${reference.id}, which does not exist`);
  return fill(event, reference, configuration);
}

type LogHint = Extract<Hint, { topic: `log:${string}` }>;

/**
 * A hint with its events as followers get them; without events if a configuration is not cached or they become too
 * long.
 */
export function renderHint(configurations: Configurations, hint: LogHint): LogHint {
  const { events, ...bare } = hint;
  if (events === undefined) return hint;
  const rendered: StoredEvent[] = [];
  let length = 0;
  for (const event of events) {
    const reference = findReference(event);
    const configuration = reference && configurations.peek(reference.id);
    if (reference !== undefined && configuration === undefined) return bare;
    const filled =
      reference && configuration
        ? fill(event, reference, configuration)
        : withPicture(event, configurations);
    length += filled.payload.length;
    if (length > MAX_HINT_LENGTH) return bare;
    rendered.push(filled);
  }
  return { ...hint, events: rendered };
}
