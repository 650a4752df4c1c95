import { toStream } from "@parley/guarded-fetch";
import { createParser } from "eventsource-parser";
import { checkMessage, type ServerMessage } from "./check-message.ts";

/** Receives what a stream of an answer brings. */
export interface AnswerReader {
  /**
   * Called with each message, after it was checked. Gives whether the protocol's client is to see it. What
   * it throws ends the stream.
   */
  onMessage(message: ServerMessage): boolean;
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

/** A stream of events, each checked before it is passed on. What nobody needs is left out. */
export function checkEvents(response: Response, reader: AnswerReader): Response {
  const { body, status, headers } = response;
  if (body === null) return response;
  return new Response(toStream(checkedEvents(body, reader)), { status, headers });
}

async function* checkedEvents(
  body: ReadableStream<Uint8Array>,
  reader: AnswerReader,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let lastEventId: string | undefined;
  let passed = "";
  const parser = createParser({
    onEvent: ({ event = "message", data, id }) => {
      if (id !== undefined && id !== "") lastEventId = id;
      const isMessage = event === "message" && data !== "";
      const isPassed = isMessage && reader.onMessage(checkMessage(data));
      // An id is passed on alone too: the stream is resumed after it.
      if (isPassed || id !== undefined) passed += toEvent(isPassed ? data : "", id);
    },
    onRetry: (retryMs) => {
      passed += `retry: ${retryMs}\n\n`;
    },
  });
  try {
    for await (const chunk of body) {
      parser.feed(decode(decoder, chunk));
      if (passed === "") continue;
      yield Buffer.from(passed);
      passed = "";
    }
  } catch (error) {
    reader.onEnd({ error, lastEventId });
    throw error;
  }
  reader.onEnd({ lastEventId });
}

function decode(decoder: TextDecoder, chunk: Uint8Array): string {
  try {
    return decoder.decode(chunk, { stream: true });
  } catch {
    throw new Error("The answer is not UTF-8");
  }
}

function toEvent(data: string, id: string | undefined): string {
  const lines = data.split("\n").map((line) => `data: ${line}\n`);
  return `${id === undefined ? "" : `id: ${id}\n`}${lines.join("")}\n`;
}
