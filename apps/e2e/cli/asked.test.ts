import { describe, expect, it } from "vitest";
import { shareServer } from "../server.ts";
import { openTerminal } from "./terminal.ts";
import { openUser, settingsOf } from "./user.ts";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";

describe("a person at a terminal", () => {
  const server = shareServer();
  const open = async () => {
    const { run, file } = await openUser();
    const settings = { ...settingsOf(server()), XDG_CONFIG_HOME: file.replace(/\/parley\/.*/, "") };
    const list = async () => (await run(["spaces", "list"], "", settings)).stdout;
    const create = async (name: string) => run(["spaces", "create", name], "", settings);
    return {
      list,
      create,
      at: (args: readonly string[], more: object = {}, columns = 80) =>
        openTerminal(args, { settings: { ...settings, ...more }, columns }),
    };
  };

  it("agrees to what destroys by typing its name", async () => {
    const { at, create, list } = await open();
    await create("Doomed");
    const answers = [
      ["Domed\r", "parley: Nothing was done"],
      ["\r", "parley: Nothing was done"],
      [CTRL_C, "parley: Nothing was done"],
      [CTRL_D, "parley: Nothing was done"],
    ] as const;
    for (const [answer, says] of answers) {
      const terminal = at(["spaces", "remove", "Doomed"]);
      await terminal.waitFor("This removes the space Doomed for good. Type Doomed to go on:");
      terminal.write(answer);
      expect([await terminal.exited, answer]).toEqual([1, answer]);
      expect(terminal.screen()).toContain(says);
    }
    expect(await list()).toContain("Doomed");
    const terminal = at(["spaces", "remove", "Doomed"]);
    await terminal.waitFor("go on:");
    terminal.write("Doomed\r");
    expect(await terminal.exited).toBe(0);
    expect(terminal.screen()).toContain("removed: space Doomed (");
    expect(await list()).not.toContain("Doomed");
  });

  it("sees tables that fit, in any width, with headings that stand out", async () => {
    const { at } = await open();
    for (const columns of [60, 80, 120]) {
      const terminal = at(["functions", "list"], {}, columns);
      expect(await terminal.exited).toBe(0);
      const lines = terminal.scrollback().split("\n");
      expect(lines.filter((line) => /^sfn_\w+ /.test(line))).toHaveLength(5);
      // A line that is too long would be several.
      expect(lines).toHaveLength(6);
      expect(terminal.written()).toContain("\u001b[1mID");
    }
    const plain = at(["functions", "list"], { NO_COLOR: "1" });
    await plain.exited;
    // Node's own check of the terminal aside, nothing is escaped.
    expect(plain.written()).not.toContain("\u001b[1m");
  });

  it("watches a list that is drawn again in its place", async () => {
    const { at, create } = await open();
    const terminal = at(["spaces", "list", "--watch"]);
    await terminal.waitFor("global");
    await create("Newcomer");
    await terminal.waitFor("Newcomer");
    expect(terminal.scrollback().match(/^ID /gm)).toHaveLength(1);
    terminal.write(CTRL_C);
    await terminal.exited;
  });
});
