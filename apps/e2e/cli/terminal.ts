import { spawn } from "@lydell/node-pty";
import headless from "@xterm/headless";
import { inject, onTestFinished } from "vitest";
import { builtFile, eventually, within } from "../programs.ts";
import type { Settings } from "../place.ts";

/** A `parley` on a terminal, and what a person sees there. */
export interface Terminal {
  /** The lines on the screen now, without blanks at their ends and blank lines after the last. */
  screen(): string;
  /** All lines, with those that have scrolled off the screen. */
  scrollback(): string;
  /** The same as it was printed: a line that the terminal has wrapped is one. */
  unwrapped(): string;
  /** Everything that the program has written, with its escape sequences. */
  written(): string;
  /** Types text or keys, as in `"\r"` for Enter and `"\u0003"` for Ctrl-C. */
  write(text: string): void;
  /** Waits until all lines hold a text, and gives them. Throws with the screen if it never does. */
  waitFor(wanted: string | RegExp, gracePeriodMs?: number): Promise<string>;
  /** Resolves with the exit code once the program is gone and all it wrote is on the screen. */
  readonly exited: Promise<number>;
  signal(name: NodeJS.Signals): void;
  resize(columns: number, rows: number): void;
}

export interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  /** The environment, with nothing else but `TERM`. */
  readonly settings?: Settings | Readonly<Record<string, string>>;
  /** By default a folder without a `.env`. */
  readonly cwd?: string;
  /** The program; by default the built `parley`. */
  readonly main?: readonly string[];
}

const SCROLLBACK_LINES = 10_000;

/**
 * Starts `parley` with these arguments on a pseudoterminal whose other end is an emulator without a window. It ends
 * with the test that opened it.
 */
export function openTerminal(
  args: readonly string[],
  {
    columns = 80,
    rows = 24,
    settings = {},
    cwd = inject("build"),
    main = [builtFile("parley.js")],
  }: TerminalOptions = {},
): Terminal {
  const emulator = new headless.Terminal({
    cols: columns,
    rows,
    scrollback: SCROLLBACK_LINES,
    allowProposedApi: true,
  });
  const child = spawn(process.execPath, [...main, ...args], {
    name: "xterm-256color",
    cols: columns,
    rows,
    cwd,
    env: { ...settings },
  });
  let text = "";
  child.onData((data) => {
    text += data;
    emulator.write(data);
  });
  // What a program asks its terminal is answered, as where the cursor is.
  emulator.onData((answer) => child.write(answer));
  let isGone = false;
  const exited = new Promise<number>((resolve) => {
    child.onExit(({ exitCode }) => {
      isGone = true;
      emulator.write("", () => resolve(exitCode));
    });
  });
  onTestFinished(async () => {
    if (!isGone) child.kill("SIGKILL");
    await within(10_000, exited);
    emulator.dispose();
  });
  const read = (from: number): string => {
    const { active } = emulator.buffer;
    const lines: string[] = [];
    for (let row = from; row < active.length; row++) {
      lines.push(active.getLine(row)?.translateToString(true) ?? "");
    }
    return lines.join("\n").trimEnd();
  };
  const scrollback = (): string => read(0);
  const unwrapped = (): string => {
    const { active } = emulator.buffer;
    const lines: string[] = [];
    for (let row = 0; row < active.length; row++) {
      const line = active.getLine(row);
      const printed = line?.translateToString(active.getLine(row + 1)?.isWrapped !== true) ?? "";
      if (line?.isWrapped === true) lines.push((lines.pop() ?? "") + printed);
      else lines.push(printed);
    }
    return lines.join("\n").trimEnd();
  };
  return {
    screen: () => read(emulator.buffer.active.baseY),
    scrollback,
    unwrapped,
    written: () => text,
    write: (keys) => child.write(keys),
    waitFor: (wanted, gracePeriodMs = 15_000) =>
      eventually(async () => {
        const seen = scrollback();
        if (typeof wanted === "string" ? seen.includes(wanted) : wanted.test(seen)) {
          return { value: seen };
        }
        return isGone ? { stop: new Error(`parley has ended:\n${seen}`) } : {};
      }, gracePeriodMs).catch((cause: unknown) => {
        throw new Error(`${String(wanted)} never came:\n${scrollback()}`, { cause });
      }),
    exited,
    signal: (name) => child.kill(name),
    resize: (wide, high) => {
      emulator.resize(wide, high);
      child.resize(wide, high);
    },
  };
}
