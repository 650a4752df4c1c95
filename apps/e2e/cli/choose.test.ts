import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { openTerminal } from "./terminal.ts";
import { openUser, settingsOf } from "./user.ts";

const keys = { down: "\u001B[B", enter: "\r", escape: "\u001B", ctrlC: "\u0003" };

describe("a command that lacks what the server lists", () => {
  const server = shareServer();
  const calls = createCalls(server);
  const settings = (key: "adminKey" | "operatorKey" = "adminKey") => ({
    ...settingsOf(server()),
    PARLEY_API_KEY: server().demo[key],
  });
  /** Calls it on a terminal, into which keys are typed. */
  const see = async (command: string, typed: string, options = { settings: settings() }) => {
    const user = await openUser();
    const seen = await user.see(command.split(" "), { stdin: typed, columns: 100, ...options });
    return { ...seen, asked: stripVTControlCharacters(seen.stderr) };
  };

  it.for([
    ["agents get", "helper", "sId: helper"],
    ["functions get", "word", "word-count (sfn_"],
    ["functions versions list", "word", "1 "],
    ["keys get", "user", "name: demo user"],
    ["skills approve", "suggested-editors", "approved: skill suggested-editors"],
    ["conversations get", "Choose me", "Choose me"],
    ["runs get", "turn helper", "kind: turn"],
  ] as const)("on a terminal, %s lets a person choose", async ([command, typed, shown]) => {
    if (/^(?:conversations|runs)/.test(command)) await calls.create("Choose me", ["helper"]);
    const { code, stdout, asked } = await see(command, typed + keys.enter);
    expect(asked).toMatch(/◆ {2}Which (?:agent|function|key|skill|conversation|run)\?/);
    expect([code, stdout]).toEqual([0, expect.stringContaining(shown)]);
  });

  it("offers the versions of what is named", async () => {
    const given = await see("functions versions get add --json", keys.enter);
    expect(JSON.parse(given.stdout)).toMatchObject({ version: { version: 1 } });
  });

  it("offers what an option must name, and what only operators list", async () => {
    const asked = await see("conversations summaries create none", `helper${keys.enter}`);
    expect(asked.asked).toMatch(/◆ {2}Which agent\?[^]*parley: .*conversation/i);
    const options = { settings: settings("operatorKey") };
    const { stdout } = await see("workspaces get", keys.enter, options);
    expect(stdout).toContain("name: Demo");
  });

  it.for([keys.ctrlC, keys.escape, ""])("is left with 130 by %j", async (typed) => {
    const { code, stdout, stderr } = await see("agents get", typed);
    expect([code, stdout]).toEqual([130, ""]);
    expect(stderr).toContain("parley: Nothing was chosen; nothing was done\n");
  });

  const missing = "parley: missing required argument 'agent'; see parley agents get --help\n";

  it("fails as before without a terminal, a server or anything to choose", async () => {
    const { run } = await openUser();
    const piped = await run(["agents", "get"], keys.enter, settings());
    expect(piped).toEqual({ code: 2, stdout: "", stderr: missing });
    const gone = { settings: { PARLEY_URL: "http://127.0.0.1:9", PARLEY_API_KEY: "sk-none" } };
    const unreached = await see("agents get", keys.enter, gone);
    expect([unreached.code, unreached.stderr]).toEqual([2, missing]);
    const none = await see("approvals approve", keys.enter);
    expect([none.code, none.stderr]).toEqual([
      2,
      "parley: missing required argument 'call'; see parley approvals approve --help\n",
    ]);
    const typed = await see("conversations search", keys.enter);
    expect([typed.code, typed.asked]).toEqual([2, expect.stringMatching(/^parley: missing/)]);
  });

  it("is completed by arrows on a real terminal", async () => {
    const { home } = await openUser();
    const terminal = openTerminal(["functions", "versions", "get"], {
      settings: { ...settings(), XDG_CONFIG_HOME: home },
    });
    await terminal.waitFor(/● add/);
    terminal.write(keys.down);
    await terminal.waitFor(/● always-fails/);
    terminal.write(keys.enter);
    await terminal.waitFor(/Which version\?[^]*● 1/);
    terminal.write(keys.enter);
    await terminal.waitFor("version: 1");
    expect(await terminal.exited).toBe(0);
  });
});
