import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished } from "vitest";
import { type Server, within } from "../server.ts";
import { openTerminal, type Terminal, type TerminalOptions } from "./terminal.ts";
import { settingsOf } from "./user.ts";

export const keys = {
  enter: "\r",
  ctrlC: "\u0003",
  ctrlD: "\u0004",
  /** Ctrl-U, which clears the line before the cursor. */
  clear: "\u0015",
  up: "\u001B[A",
  altEnter: "\u001B\r",
  paste: (text: string) => `\u001B[200~${text.replaceAll("\n", "\r")}\u001B[201~`,
} as const;

/** Opens `parley chat` on a terminal, as a user whose settings name the demo's admin. */
export async function openChat(
  server: Server,
  args: readonly string[],
  { settings, ...options }: TerminalOptions = {},
): Promise<Terminal> {
  const cwd = await mkdtemp(path.join(os.tmpdir(), "parley-chat-"));
  onTestFinished(async () => rm(cwd, { recursive: true }));
  return openTerminal(["chat", ...args], {
    ...options,
    cwd,
    settings: { ...settingsOf(server), XDG_CONFIG_HOME: cwd, ...settings },
  });
}

/** Leaves a chat that is at its prompt. Gives the id of its conversation, if it had one. */
export async function leave(terminal: Terminal): Promise<string> {
  terminal.write(keys.ctrlD);
  expect(await within(10_000, terminal.exited)).toBe(0);
  return /chat --conversation (\S+)/.exec(terminal.scrollback())?.[1] ?? "";
}
