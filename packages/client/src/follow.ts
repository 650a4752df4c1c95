import type { InvocationEvent } from "@parley/schema";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { RequestFailed } from "./rest.ts";

export type InvocationEvents = AsyncGenerator<InvocationEvent, void, undefined>;

/** Yields the events of a stream as they come. Throws `RequestFailed` when it is refused. */
export async function* followEvents(url: string, authorization: string): InvocationEvents {
  const response = await fetch(url, { headers: { authorization, accept: "text/event-stream" } });
  if (!response.ok || response.body === null) {
    throw new RequestFailed(response.status, await response.json().catch(() => undefined));
  }
  const frames = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  // The server writes nothing into this log but what `InvocationEvent` describes.
  for await (const frame of frames) yield JSON.parse(frame.data) as InvocationEvent;
}
