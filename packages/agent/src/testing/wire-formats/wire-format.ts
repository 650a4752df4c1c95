import type { SimulatedScript } from "@parley/schema";

type SimulatedStep = SimulatedScript["steps"][number];

/** What a request asks, whatever its format. */
export interface ReadRequest {
  /** Text of the newest message of a user. */
  readonly message: string;
  /** What the newest call of a tool gave; empty before there is one. */
  readonly result: string;
  /** Answers of the model that have calls of tools: the steps of the turn so far. */
  readonly step: number;
  readonly instructions: string;
}

/** A step to be sent, its texts filled in and split. */
export interface SentStep {
  readonly model: string;
  readonly reasoning: readonly string[];
  readonly text: readonly string[];
  readonly toolCalls: NonNullable<SimulatedStep["toolCalls"]>;
  /** Number of the step, for ids. */
  readonly step: number;
}

/** How one service's API is spoken. */
export interface WireFormat {
  readonly path: RegExp;
  /** Header that carries the key, and what is before it. */
  readonly credential: readonly [header: string, scheme: string];
  read(body: unknown): ReadRequest;
  /** The frames of an answer: Server-Sent Events without their blank line. */
  encode(step: SentStep): string[];
  /** The frame that ends an answer which has begun, because the service takes too many calls. */
  breakOff(message: string): string;
  /** Body of an answer that says what is wrong. */
  refuse(status: number, message: string): object;
}

/** Splits a text into pieces of `size` UTF-16 code units, wherever that falls. */
export function split(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}

/** What a step is counted as. */
export const counted = { input: 11, output: 7 };
