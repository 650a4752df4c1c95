/** A file in a prompt, whose bytes are read when a request with them is sent. */
export interface PromptFile {
  readonly fileId: string;
  readonly name: string;
  /** MIME type, in lower case and without parameters. */
  readonly contentType: string;
  readonly sizeBytes: number;
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly sha256: string;
  /** Reads the bytes; throws the reason of the signal. */
  read(signal: AbortSignal): Promise<Uint8Array>;
}

export interface TextPart {
  readonly type: "text";
  readonly text: string;
  /** Whether it stands beside what a user wrote, and is not of it. */
  readonly isAdded?: true;
}

/** A file that the model takes as it is. */
export interface FilePart {
  readonly type: "image" | "file";
  readonly file: PromptFile;
}

/** A call of a tool by the model. */
export interface CallPart {
  readonly type: "call";
  readonly id: string;
  readonly name: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** What a call has given. */
export interface ResultPart {
  readonly type: "result";
  /** Id and name of the call. */
  readonly id: string;
  readonly name: string;
  readonly output: readonly (TextPart | FilePart)[];
}

export type PromptPart = TextPart | FilePart | CallPart | ResultPart;

/** One message of a prompt. */
export type PromptMessage =
  | {
      readonly role: "system";
      readonly parts: readonly TextPart[];
      /** Whether it stays in a prompt of any length. */
      readonly isPinned?: boolean;
    }
  | { readonly role: "user"; readonly parts: readonly (TextPart | FilePart)[] }
  | {
      readonly role: "assistant";
      readonly parts: readonly (TextPart | CallPart)[];
      /** JSON from the provider that it needs back with the message. */
      readonly replay?: unknown;
    }
  /** The results of the calls of the message before it, in their order. */
  | { readonly role: "tool"; readonly parts: readonly ResultPart[] };

/** The parts of a message that is plain text. */
export const textParts = (text: string): readonly [TextPart] => [{ type: "text", text }];

/** The text of a message's parts, one after the other; files have none. */
export function textOf({ parts }: Pick<PromptMessage, "parts">): string {
  return (parts as readonly PromptPart[]).map(textOfPart).join("");
}

/** The text of a user's message without what was added to it. */
export function writtenTextOf({ parts }: Pick<PromptMessage, "parts">): string {
  const all: readonly PromptPart[] = parts;
  return all.map((part) => (part.type === "text" && part.isAdded ? "" : textOfPart(part))).join("");
}

function textOfPart(part: PromptPart): string {
  if (part.type === "text") return part.text;
  if (part.type === "call") return JSON.stringify(part.params);
  return part.type === "result" ? part.output.map(textOfPart).join("") : "";
}
