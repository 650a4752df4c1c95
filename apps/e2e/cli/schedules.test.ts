import { describe, expect, it } from "vitest";
import { eventually } from "../programs.ts";
import { shareServer } from "../server.ts";
import { openUser, settingsOf } from "./user.ts";

interface Listed {
  readonly sId: string;
  readonly [member: string]: unknown;
}

describe("schedules on the command line", () => {
  const server = shareServer();
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const open = async () => {
    const { run } = await openUser();
    const settings = settingsOf(server());
    const call = async (args: readonly string[]) => run(["schedules", ...args], "", settings);
    const succeed = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await call(args);
      expect([code, args], stderr).toEqual([0, args]);
      return stdout;
    };
    const fail = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await call(args);
      expect([stdout, args]).toEqual(["", args]);
      return { code, said: stderr };
    };
    const get = async (name: string) => {
      const read = JSON.parse(await succeed("get", name, "--json")) as { schedule: Listed };
      return read.schedule;
    };
    return { run, settings, succeed, fail, get };
  };
  const daily = ["--cron", "0 9 * * MON-FRI", "--timezone", "Europe/Berlin"];

  it("are created from options, changed, paused, resumed and removed", async () => {
    const { succeed, fail, get } = await open();
    const launched = ["--agent", "helper", "--message", "Write the report"];
    const settings = ["--overlap", "wait", "--missed", "skip", "--jitter", "30s"];
    expect(await succeed("create", "Report", ...daily, ...launched, ...settings)).toMatch(
      /^created: schedule Report \(sch_\w+\)\n$/,
    );
    expect(await get("Report")).toMatchObject({
      cron: "0 9 * * MON-FRI",
      everySeconds: null,
      timezone: "Europe/Berlin",
      overlap: "wait",
      missed: "skip",
      jitterSeconds: 30,
      agent: { agentId: "helper", message: "Write the report", conversationId: null },
    });
    const row =
      /^sch_\w+ +Report +0 9 \* \* MON-FRI \(Europe\/Berlin\) +active +\d{4}-\d\d-\d\d 09:00\+0[12]:00 +helper$/m;
    expect(await succeed("list")).toMatch(row);
    await succeed("update", "Report", "--message", "Be brief", "--agent-version", "0");
    await succeed("update", "Report", "--every", "2h", "--title", "Reports");
    const changed = await get("Report");
    expect(changed).toMatchObject({
      cron: null,
      everySeconds: 7200,
      agent: { agentId: "helper", agentVersion: 0, message: "Be brief", title: "Reports" },
    });
    await succeed("update", "Report", "--agent", "helper", "--title", "");
    const { agent } = await get("Report");
    expect(agent).toEqual(expect.not.objectContaining({ title: expect.anything() }));
    expect(agent).toMatchObject({ agentVersion: null, message: "Be brief" });
    expect(await succeed("pause", "Report")).toMatch(/^paused: schedule Report \(/);
    expect(await succeed("list")).toMatch(/every 2h +paused/);
    expect(await succeed("resume", "Report", "--key", "demo admin")).toMatch(/^resumed: /);
    expect(await get("Report")).toMatchObject({ pausedFor: null });
    expect((await fail("remove", "Report")).said).toMatch(/This would remove the schedule Report/);
    expect(await succeed("remove", "Report", "--yes")).toMatch(/^removed: schedule Report \(/);
    expect((await fail("get", "Report")).said).toMatch(/see parley schedules list/);
  });

  it("start a function with an input, now if they are asked to, and show what came of it", async () => {
    const { succeed, run, settings, get } = await open();
    await run(["functions", "create", "tally"], "", settings);
    const launched = ["--function", "tally", "--input", '{"day": "yesterday"}'];
    await succeed("create", "Tally", "--every", "1d", "--is-paused", ...launched);
    expect(await get("Tally")).toMatchObject({
      function: { functionId: expect.any(String), input: { day: "yesterday" } },
      pausedFor: "request",
    });
    expect(await succeed("firings", "Tally", "--json")).toBe('{"firings":[],"hasMore":false}\n');
    expect(await succeed("run", "Tally")).toMatch(/^fired: schedule Tally \(sch_/);
    const line = await eventually<string>(async () => {
      const [, found = ""] = (await succeed("firings", "Tally")).split("\n");
      return found.includes(" started ") ? { value: found } : {};
    }, 20_000);
    expect(line).toMatch(
      /^fir_\w+ +\d{4}-\d\d-\d\d \d\d:\d\d by hand +started +\d{4}-\S+ \S+ +sfi_\w+/,
    );
    expect(await succeed("firings", "list", "Tally", "--status", "failed", "--json")).toContain(
      '"firings":[]',
    );
  });

  it("preview times in the zone of the schedule and in the caller's own", async () => {
    const { succeed } = await open();
    const lines = (await succeed("preview", ...daily, "--count", "3")).trimEnd().split("\n");
    expect(lines[0]?.split(/ +/)).toEqual(["Europe/Berlin", own]);
    expect(lines.slice(1)).toHaveLength(3);
    for (const line of lines.slice(1)) {
      expect(line).toMatch(/^\S{10} 09:00\+0[12]:00 +\S{10} \d\d:\d\d[+-]\d\d:\d\d$/);
    }
    const { slots } = JSON.parse(await succeed("preview", "--every", "1h", "--json")) as {
      slots: readonly number[];
    };
    expect(slots).toHaveLength(5);
    expect(slots[1]! - slots[0]!).toBe(3_600_000);
  });

  it.for([
    [["--cron", "61 * * * *", "--agent", "helper", "--message", "x"], /cron: minute/],
    [["--every", "1week", "--agent", "helper", "--message", "x"], /every: must be a number of s/],
    [["--every", "1h", "--agent", "helper", "--input", "1"], /leave out input/],
    [["--every", "1h", "--agent", "hlper", "--message", "x"], /No agent named "hlper"/],
    [["--agent", "helper", "--message", "x"], /exactly one of cron and everySeconds/],
  ] as const)("are refused: %j", async ([options, said]) => {
    const { succeed, fail } = await open();
    expect((await fail("create", "Wrong", ...options)).said).toMatch(said);
    expect(await succeed("list", "--json")).not.toContain("Wrong");
  });
});
