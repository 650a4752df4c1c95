import type { SimulatedScript } from "@parley/schema";

type SimulatedStep = SimulatedScript["steps"][number];

/** A file as a request has it. */
export interface ReadFile {
  readonly contentType: string;
  readonly bytes: Buffer;
  /** Where the format has names. */
  readonly name?: string | undefined;
  readonly isOfResult: boolean;
}

/** The content of a request in any format. */
export interface ReadRequest {
  /** The files, in their order. */
  readonly files: readonly ReadFile[];
  /** Text of the newest message of a user. */
  readonly message: string;
  /** Output of the turn's newest tool call; empty without one. */
  readonly result: string;
  /** Number of the model's answers since that message with tool calls, or in a wrong format: the turn's steps. */
  readonly step: number;
  readonly instructions: string;
  /** The JSON Schema that the service is to enforce, `json` for any JSON; undefined for text. */
  readonly answerFormat: unknown;
}

/** A step to send, with its texts filled in and split. */
export interface SentStep {
  readonly model: string;
  readonly reasoning: readonly string[];
  readonly text: readonly string[];
  readonly toolCalls: NonNullable<SimulatedStep["toolCalls"]>;
  /** Number of the step, for ids. */
  readonly step: number;
  readonly counts: Counts;
}

/** Usage of a step: all tokens of the prompt and of the answer, and how many of them were of which kind. */
export interface Counts {
  readonly input: number;
  readonly output: number;
  /** Of the prompt: read from the service's cache, and written to it. */
  readonly cached?: number;
  readonly cacheWritten?: number;
  /** Of the answer. */
  readonly reasoning?: number;
}

/** The API format of one service. */
export interface WireFormat {
  readonly path: RegExp;
  /** Header that carries the key, and the prefix of its value. */
  readonly credential: readonly [header: string, scheme: string];
  /** Throws for what the service would refuse. */
  read(body: unknown): ReadRequest;
  /** Why the service refuses the messages of a request; undefined if it takes them. */
  refuseCalls(body: unknown): string | undefined;
  /** The frames of a response: Server-Sent Events without their blank line. */
  encode(step: SentStep): string[];
  /** The frame that ends a response in progress with a rate limit error. */
  breakOff(message: string): string;
  /** A frame of an answer as it is when the model refuses to answer. */
  withhold(frame: string): string;
  /** Body of an error response. */
  refuse(status: number, message: string): object;
}

/** Whether a user's text says that an answer was not accepted. */
export const isCorrection = (text: string): boolean =>
  text.startsWith("This answer was not accepted");
/** What follows the newest question: files of results come in a message of a user, too. */
export function sinceQuestion<Message>(
  messages: readonly Message[],
  textOf: (message: Message) => string | undefined,
): Message[] {
  const isQuestion = (message: Message) => {
    const text = textOf(message);
    return text !== undefined && !text.startsWith("<files of the results>") && !isCorrection(text);
  };
  return messages.slice(messages.findLastIndex(isQuestion) + 1);
}

/** Splits a text into pieces of `size` UTF-16 code units, wherever that falls. */
export function split(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}

/** Usage of every step by default. */
export const counted: Counts = { input: 11, output: 7 };

/** The bytes of a base64 text. Throws for anything else. */
export function bytesOf(base64: unknown): Buffer {
  if (typeof base64 !== "string") throw new Error("Invalid file: base64 expected");
  const bytes = Buffer.from(base64, "base64");
  if (bytes.length === 0 || bytes.toString("base64") !== base64) {
    throw new Error("Invalid file: not base64");
  }
  return bytes;
}

/** The file of a data URL. Throws for any other URL. */
export function fileOf(url: unknown): Pick<ReadFile, "contentType" | "bytes"> {
  const match = /^data:([a-z]+\/[\w.+-]+);base64,(.*)$/s.exec(String(url));
  if (match === null) throw new Error(`Invalid file: ${String(url).slice(0, 40)}`);
  return { contentType: match[1]!, bytes: bytesOf(match[2]) };
}

/** Throws unless the type is one of these. */
export function requireType({ contentType }: Pick<ReadFile, "contentType">, types: RegExp): void {
  if (!types.test(contentType)) throw new Error(`Unsupported media type ${contentType}`);
}
