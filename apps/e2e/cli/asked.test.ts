import stringWidth from "string-width";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { shareServer } from "../server.ts";
import { openTerminal } from "./terminal.ts";
import { openUser, settingsOf } from "./user.ts";

const CTRL_C = "\u0003";

describe("a person at a terminal", () => {
  const server = shareServer();
  const open = async () => {
    const { home, run, see } = await openUser();
    const settings = { ...settingsOf(server()), XDG_CONFIG_HOME: home };
    return {
      list: async () => (await run(["spaces", "list"], "", settings)).stdout,
      create: async (name: string) => run(["spaces", "create", name], "", settings),
      see: async (args: readonly string[], more: Parameters<typeof see>[1] = {}) =>
        see(args, { ...more, settings: { ...settings, ...more.settings } }),
      /** A real one. */
      at: (args: readonly string[]) => openTerminal(args, { settings, columns: 80 }),
    };
  };

  it("agrees to what destroys by typing its name", async () => {
    const { at, create, list, see } = await open();
    await create("Doomed");
    const question = "This will permanently remove the space Doomed. Type Doomed to confirm: ";
    const remove = ["spaces", "remove", "Doomed"];
    // A wrong name, none, and the end of the input, as Ctrl-D is.
    for (const stdin of ["Domed\n", "\n", ""]) {
      const { code, stdout, stderr } = await see(remove, { stdin });
      expect([code, stdout, stdin]).toEqual([1, "", stdin]);
      // If nothing was typed, the cursor is still behind the question.
      const newLine = stdin === "" ? "\n" : "";
      expect(stderr).toBe(`${question}${newLine}parley: Not confirmed; nothing was done\n`);
    }
    const terminal = at(remove);
    await terminal.waitFor(question.trimEnd());
    terminal.write(CTRL_C);
    expect(await terminal.exited).toBe(1);
    expect(terminal.screen()).toContain("parley: Not confirmed; nothing was done");
    expect(await list()).toContain("Doomed");
    const removed = await see(remove, { stdin: "Doomed\n" });
    expect([removed.code, removed.stderr]).toEqual([0, question]);
    expect(removed.stdout).toContain("removed: space Doomed (");
    expect(await list()).not.toContain("Doomed");
  });

  it("chooses an agent by arrows, or by a part of its name", async () => {
    const { at } = await open();
    const terminal = at(["ask", "Hello"]);
    await terminal.waitFor("Which agent do you ask?");
    terminal.write("elpe");
    await terminal.waitFor(/helper/);
    terminal.write("\u001b[B\r");
    await terminal.waitFor("I am a simulated agent, glad to help.");
    expect(await terminal.exited).toBe(0);
    const left = at(["ask", "Hello"]);
    await left.waitFor("Which agent do you ask?");
    left.write(CTRL_C);
    expect(await left.exited).toBe(130);
    expect(left.screen()).toContain("parley: Nothing was chosen; nothing was done");
  });

  it("sees tables that fit, in any width, with headings that stand out", async () => {
    const { see } = await open();
    for (const columns of [60, 80, 120]) {
      const { code, stdout } = await see(["functions", "list"], { columns });
      expect(code).toBe(0);
      const lines = stripVTControlCharacters(stdout).trimEnd().split("\n");
      expect(lines.filter((line) => /^sfn_\w+ /.test(line))).toHaveLength(5);
      expect(lines).toHaveLength(6);
      expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(columns);
      expect(stdout.startsWith("\u001b[1mID")).toBe(true);
    }
    const plain = await see(["functions", "list"], { settings: { NO_COLOR: "1" } });
    expect(plain.stdout).not.toContain("\u001b");
  });

  it("watches a list that is drawn again in its place", async () => {
    const { at, create } = await open();
    const terminal = at(["spaces", "list", "--watch"]);
    await terminal.waitFor("global");
    expect(terminal.written()).toContain("\u001b[1mID");
    await create("Newcomer");
    await terminal.waitFor("Newcomer");
    expect(terminal.scrollback().match(/^ID /gm)).toHaveLength(1);
    terminal.write(CTRL_C);
    await terminal.exited;
  });
});
