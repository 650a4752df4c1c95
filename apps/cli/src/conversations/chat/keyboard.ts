import { createInterface, emitKeypressEvents, type Key } from "node:readline";
import { PassThrough } from "node:stream";
import type { Io } from "@parley/command/io";
import { plain } from "@parley/command/print";

/** How new lines and tabs of a message look while it is edited in one line. */
const NEW_LINE = "␤";
const TAB = "␉";
/** Pastes beyond these are shown by a name: a terminal cannot edit what is higher than itself. */
const MAX_LINES = 10;
const MAX_LENGTH = 1000;

/** Texts of several lines in the one line of an editor. */
interface PastedTexts {
  /** The text as it is edited: with signs for its new lines, or a name in its place if it is long. */
  fold(text: string): string;
  /** What an edited line stands for. */
  unfold(line: string): string;
}

/** Remembers the texts that were given a name. */
function createPastedTexts(): PastedTexts {
  const named = new Map<string, string>();
  return {
    fold: (text) => {
      const unified = text.replaceAll(/\r\n?/g, "\n");
      const lines = unified.split("\n").length;
      if (lines <= MAX_LINES && unified.length <= MAX_LENGTH) {
        return unified.replaceAll("\n", NEW_LINE).replaceAll("\t", TAB);
      }
      const name = `[pasted ${named.size + 1}: ${lines} lines, ${unified.length} characters]`;
      named.set(name, unified);
      return name;
    },
    unfold: (line) => {
      const text = line.replaceAll(NEW_LINE, "\n").replaceAll(TAB, "\t");
      // In one pass: a pasted text may hold the name of another.
      return text.replaceAll(
        /\[pasted \d+: \d+ lines, \d+ characters\]/g,
        (name) => named.get(name) ?? name,
      );
    },
  };
}

const BEGIN_PASTES = "\u001B[?2004h";
const END_PASTES = "\u001B[?2004l";
const SHOW_CURSOR = "\u001B[?25h";

/** What somebody did at a prompt. */
export type Typed =
  /** A line, and how it looked while it was edited. */
  | { readonly kind: "line"; readonly text: string; readonly edited: string }
  /** Ctrl-C; whether something had been typed. */
  | { readonly kind: "interrupt"; readonly hadText: boolean }
  /** Ctrl-D, or the terminal is gone. */
  | { readonly kind: "end" };

interface Prompt {
  readonly prompt: string;
  /** Earlier lines as they were edited, the newest first. */
  readonly history?: readonly string[];
  /** What can be changed. */
  readonly start?: string;
  /** What a word may become with Tab: the whole lines. */
  readonly complete?: (line: string) => string[];
}

/** The terminal's keys: a line editor while something is asked, and Ctrl-C alone in the meantime. */
export interface Keyboard {
  read(prompt: Prompt): Promise<Typed>;
  /** A text of several lines as it is edited. */
  fold(text: string): string;
  /** Calls the listener for Ctrl-C while nothing is asked. Gives what ends that. */
  onInterrupt(listener: () => void): () => void;
  /** Gives the terminal back as it was. */
  close(): void;
}

/**
 * Takes the keys of the terminal. Keys between two prompts are dropped, so that nothing typed too early decides
 * about a call.
 */
export function openKeyboard(io: Io): Keyboard {
  const { stdin: input, stdout: output } = io;
  const texts = createPastedTexts();
  const listeners = new Set<() => void>();
  let editor: PassThrough | undefined;
  let pasted: string | undefined;
  let insert: ((text: string) => void) | undefined;
  let hasEnded = false;
  let ignored = 0;

  const interrupt = (): void => {
    for (const listener of listeners) listener();
    // If nothing can be cancelled, the second one leaves.
    if (listeners.size > 0) ignored = 0;
    else if (++ignored > 1) io.exit(130);
  };
  const onKey = (text: string | undefined, key: Key): void => {
    if (key.name === "paste-start") pasted = "";
    else if (key.name === "paste-end") {
      insert?.(texts.fold(plain((pasted ?? "").replaceAll(/\r\n?/g, "\n"))));
      pasted = undefined;
    } else if (pasted !== undefined) pasted += text ?? "";
    else if (editor === undefined) {
      if (key.ctrl && key.name === "c") interrupt();
    } else if (key.name === "return" && key.meta) insert?.(texts.fold("\n"));
    else editor.emit("keypress", text, key);
  };
  const onSignal = (): void => onKey("\u0003", { ctrl: true, name: "c" });
  // By default they would end the process and leave the terminal as it is.
  const onTerm = (): never => io.exit(143);
  const onEnd = (): void => {
    hasEnded = true;
    editor?.end();
  };
  const restore = (): void => {
    output.write(END_PASTES + SHOW_CURSOR);
    input.setRawMode?.(false);
  };
  emitKeypressEvents(input);
  input.on("keypress", onKey).once("end", onEnd);
  input.setRawMode?.(true);
  input.resume();
  output.write(BEGIN_PASTES);
  io.signal.on("SIGINT", onSignal);
  io.signal.on("SIGTERM", onTerm);
  io.signal.on("exit", restore);

  const read = ({ prompt, history = [], start, complete }: Prompt): Promise<Typed> => {
    if (hasEnded) return Promise.resolve({ kind: "end" });
    const { promise, resolve } = Promise.withResolvers<Typed>();
    const keys = Object.assign(new PassThrough(), {
      // For Ctrl-Z, which gives the terminal to the shell for a while.
      setRawMode: (isRaw: boolean) => input.setRawMode?.(isRaw),
    });
    const lines = createInterface({
      input: keys,
      output,
      prompt,
      terminal: true,
      history: [...history],
      historySize: 1000,
      removeHistoryDuplicates: true,
      ...(complete !== undefined && { completer: (line: string) => [complete(line), line] }),
    });
    const finish = (typed: Typed): void => {
      editor = undefined;
      insert = undefined;
      resolve(typed);
      // It emits `close`, for which it is too late then.
      lines.close();
      if (!hasEnded) input.setRawMode?.(true);
    };
    const leaveLine = (typed: Typed): void => {
      output.write("\n");
      finish(typed);
    };
    lines
      .once("line", (line) => finish({ kind: "line", text: texts.unfold(line), edited: line }))
      .once("close", () => {
        if (editor === keys) leaveLine({ kind: "end" });
      })
      .once("SIGINT", () => leaveLine({ kind: "interrupt", hadText: lines.line !== "" }));
    ignored = 0;
    insert = (text) => lines.write(text);
    editor = keys;
    lines.prompt();
    if (start !== undefined) lines.write(start);
    return promise;
  };
  return {
    read,
    fold: texts.fold,
    onInterrupt: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => {
      io.signal.off("SIGINT", onSignal);
      io.signal.off("SIGTERM", onTerm);
      io.signal.off("exit", restore);
      input.off("keypress", onKey).off("end", onEnd).pause();
      restore();
    },
  };
}
