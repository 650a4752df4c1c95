import type { Io } from "@parley/command/io";
import { reportLine } from "@parley/command/print";
import { dim } from "@parley/command/style";
import type { Keyboard } from "./keyboard.ts";

interface MessagePrompt {
  readonly prompt: string;
  /** Earlier messages, the newest first; the message is added to it. */
  readonly history: string[];
  readonly complete: (line: string) => string[];
}

/**
 * Reads a message, which has several lines if one ends in `\`. Undefined if somebody leaves, with Ctrl-D or
 * with Ctrl-C twice in a row.
 */
export async function readMessage(
  io: Io,
  keyboard: Keyboard,
  { prompt, history, complete }: MessagePrompt,
): Promise<string | undefined> {
  let lines: { readonly text: string; readonly edited: string }[] = [];
  let wasInterrupted = false;
  for (;;) {
    const typed = await keyboard.read({
      prompt: lines.length === 0 ? prompt : dim(io, "… "),
      history,
      complete,
    });
    if (typed.kind === "end") return undefined;
    if (typed.kind === "interrupt") {
      const isEmpty = !typed.hadText && lines.length === 0;
      if (isEmpty && wasInterrupted) return undefined;
      if (isEmpty) reportLine(io, dim(io, "Press Ctrl-C again to leave", "stderr"));
      wasInterrupted = isEmpty;
      lines = [];
      continue;
    }
    wasInterrupted = false;
    const isContinued = typed.text.endsWith("\\");
    lines.push(
      isContinued ? { text: typed.text.slice(0, -1), edited: typed.edited.slice(0, -1) } : typed,
    );
    if (isContinued) continue;
    const message = lines.map(({ text }) => text).join("\n");
    const edited = lines.map((line) => line.edited).join(keyboard.fold("\n"));
    lines = [];
    if (message.trim() === "") continue;
    if (history[0] !== edited) history.unshift(edited);
    return message;
  }
}
