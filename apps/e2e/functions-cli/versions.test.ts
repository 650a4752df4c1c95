import { expect, it } from "vitest";
import { shareServer } from "../server.ts";
import { openCli } from "./cli.ts";

const server = shareServer();

it("lists the versions of a function, shows one, and rolls back to one", async () => {
  const cli = await openCli(server());
  const simulate = (slug: string, result: string, command = "create") =>
    cli.run([
      command,
      slug,
      "--program",
      JSON.stringify({ type: "simulated", behaviour: { result } }),
    ]);
  const invoke = async () => (await cli.run(["invoke", "say"])).stdout;
  await simulate("say", '"one"');
  await simulate("say", '"two"', "update");
  await simulate("say", '"three"', "update");
  const { stdout: listed } = await cli.run(["versions", "say"]);
  expect(listed.split("\n").map((line) => line.trim().split(/\s+/)[0])).toEqual([
    "VERSION",
    "3",
    "2",
    "1",
    "",
  ]);
  const { stdout: shown } = await cli.run(["versions", "get", "say", "2", "--json"]);
  expect(JSON.parse(shown)).toMatchObject({
    version: { version: 2, program: { behaviour: { result: '"two"' } } },
  });

  expect((await cli.run(["rollback", "say"])).stdout).toBe(
    "rolled back: say to version 2, as version 4\n",
  );
  expect(await invoke()).toBe('"two"\n');
  expect((await cli.run(["rollback", "say", "1"])).stdout).toBe(
    "rolled back: say to version 1, as version 5\n",
  );
  expect(await invoke()).toBe('"one"\n');
  expect((await cli.run(["rollback", "say", "5"])).stdout).toBe("say is at version 5 already\n");

  expect(await cli.fail(["rollback", "say", "9"])).toContain(
    "say has no version 9: see parley functions versions say",
  );
  await simulate("new", '"one"');
  expect(await cli.fail(["rollback", "new"])).toContain("new has no earlier version");
  expect(await cli.fail(["rollback", "missing"])).toContain("parley functions list");
  expect(await cli.fail(["rollback", "say", "0"])).toContain("at least 1");
});
