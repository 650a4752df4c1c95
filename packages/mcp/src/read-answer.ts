import { toStream } from "./guard/to-stream.ts";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { createParser } from "eventsource-parser";
import { checkMessage } from "./check-message.ts";

/** Receives what a stream of an answer brings. */
export interface AnswerReader {
  /** Called with each message, after it was checked. What it throws ends the stream. */
  onMessage(message: JSONRPCMessage): void;
  /** Called when the stream has ended, or broke with `error`. Not called if its reader stops. */
  onEnd(end: AnswerEnd): void;
}

export interface AnswerEnd {
  readonly error?: unknown;
  /** The id of the last event that had one: the stream can be resumed after it. */
  readonly lastEventId?: string | undefined;
}

/** Reads an answer of JSON whole. Throws an `Error` that says what is wrong with it. */
export async function readJsonAnswer(response: Response, reader: AnswerReader): Promise<Response> {
  const bytes = await response.arrayBuffer();
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error("The answer is not UTF-8");
  }
  reader.onMessage(checkMessage(text));
  const { status, headers } = response;
  return new Response(text, { status, headers });
}

/** A stream of events, each checked before it is passed on. */
export function checkEvents(response: Response, reader: AnswerReader): Response {
  const { body, status, headers } = response;
  if (body === null) return response;
  return new Response(toStream(checkedChunks(body, reader)), { status, headers });
}

async function* checkedChunks(
  body: ReadableStream<Uint8Array>,
  reader: AnswerReader,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let lastEventId: string | undefined;
  const parser = createParser({
    onEvent: ({ event, data, id }) => {
      if (id !== undefined && id !== "") lastEventId = id;
      if ((event ?? "message") === "message" && data !== "") reader.onMessage(checkMessage(data));
    },
  });
  try {
    for await (const chunk of body) {
      let text: string;
      try {
        text = decoder.decode(chunk, { stream: true });
      } catch {
        throw new Error("The answer is not UTF-8");
      }
      parser.feed(text);
      yield chunk;
    }
  } catch (error) {
    reader.onEnd({ error, lastEventId });
    throw error;
  }
  reader.onEnd({ lastEventId });
}
