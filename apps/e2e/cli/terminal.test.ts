import { expect, test } from "vitest";
import { openTerminal } from "./terminal.ts";

/** A program of Node in place of the built one. */
const program = (source: string) => ({ main: ["-e", source] });

test("a program sees a terminal, and its lines are read as a person sees them", async () => {
  const source = `
    const { env } = process;
    console.log(process.stdout.isTTY, process.stdin.isTTY, process.stdout.columns, env.TERM);
    console.log("\\x1b[1mbold\\x1b[0m gone\\x1b[4Dhere");
    for (let line = 0; line < 9; line++) console.log("line", line);
    process.exitCode = 3;`;
  const terminal = openTerminal([], { ...program(source), columns: 50, rows: 4 });
  expect(await terminal.exited).toBe(3);
  expect(terminal.scrollback()).toMatch(/^true true 50 xterm-256color\nbold here\nline 0\n/);
  expect(terminal.screen()).toBe("line 6\nline 7\nline 8");
  expect(terminal.written()).toContain("\u001b[1mbold");
});

test("keys, sizes and signals reach the program", async () => {
  const source = `
    process.stdin.setRawMode(true).on("data", (keys) => console.log(JSON.stringify(String(keys))));
    process.stdout.on("resize", () => console.log(process.stdout.columns, process.stdout.rows));
    process.on("SIGTERM", () => process.exit(7));
    console.log("ready");`;
  const terminal = openTerminal([], program(source));
  await terminal.waitFor("ready");
  terminal.write("\u0003");
  await terminal.waitFor(String.raw`"\u0003"`);
  terminal.resize(33, 5);
  await terminal.waitFor(/^33 5$/m);
  terminal.signal("SIGTERM");
  expect(await terminal.exited).toBe(7);
  await expect(terminal.waitFor("never", 50)).rejects.toThrow("33 5");
});
