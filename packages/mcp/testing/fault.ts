import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** A JSON-RPC message that a hostile server was sent. */
export interface SentMessage {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly error?: { readonly code: number };
}

/** A request to which a fault answers as it likes. */
export interface Attack {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly message: SentMessage;
  /** The hostile server's own URL. */
  readonly url: string;
  /** How often its target was asked before. */
  readonly round: number;
  /** What a good server answers. */
  readonly result: Record<string, unknown>;
  /** Answers well, with this result. */
  answer(result?: Record<string, unknown>): void;
  /** Begins an answer that is a stream of events. */
  stream(): void;
  /** Writes a message on the stream. */
  send(message: Record<string, unknown>): void;
  /** Resolves with the client's answer to a request of the server's own. */
  answerOf(id: string): Promise<SentMessage>;
}

/** How a server misbehaves. It answers well to all but its target. */
export interface Fault {
  /** `legacy` speaks 2025-11-25 with sessions; 2026-07-28 is spoken otherwise. */
  readonly era?: "legacy";
  /** What it does not answer well: the greeting, listings and calls, calls alone, or also streams. */
  readonly target?: "greeting" | "work" | "call" | "streams";
  /** Does not speak HTTP, but does this to connections. */
  readonly connected?: (socket: Socket) => void;
  readonly attack?: (attack: Attack) => void | Promise<void>;
}

/** A tool as a good server lists it. */
export const goodTool = { name: "echo", description: "Echoes", inputSchema: { type: "object" } };
