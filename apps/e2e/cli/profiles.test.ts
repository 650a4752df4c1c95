import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { shareServer } from "../server.ts";
import { openUser } from "./user.ts";

const server = shareServer();

test("a key that was tried is kept for its owner only, and used by later commands", async () => {
  const { url, demo } = server();
  const { file, run } = await openUser();
  const refused = await run(["login", "--url", url], "sk-nobody\n");
  expect([refused.code, refused.stdout]).toEqual([1, ""]);
  await expect(stat(file)).rejects.toThrow("ENOENT");

  const loggedIn = await run(["login", "--url", url, "--profile", "shop"], `${demo.adminKey}\n`);
  expect([loggedIn.code, loggedIn.stderr]).toEqual([0, ""]);
  expect(loggedIn.stdout).toContain(`workspace Demo (${demo.workspaceId})`);
  expect(loggedIn.stdout).not.toContain(demo.adminKey);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(path.dirname(file))).mode & 0o777).toBe(0o700);

  expect((await run(["whoami"])).stdout).toContain(`${url}: key demo admin, role admin`);
  expect((await run(["functions", "list"])).stdout).toMatch(/ add /);
  const user = await run(["login", "--url", url, "--profile", "user"], `${demo.userKey}\n`);
  expect(user.code).toBe(0);
  expect((await run(["whoami"])).stdout).toContain("role user");
  expect((await run(["whoami", "--profile", "shop"])).stdout).toContain("role admin");
  const named = await run(["whoami"], "", { PARLEY_PROFILE: "shop" });
  expect(named.stdout).toContain("role admin");

  const chosen = await run(["profiles", "--use", "shop"]);
  expect(chosen.stdout).toBe(
    `* shop: ${url}, workspace ${demo.workspaceId}\n  user: ${url}, workspace ${demo.workspaceId}\n`,
  );
  expect((await run(["logout"])).stdout).toBe("forgotten: shop; current is user\n");
  expect(await readFile(file, "utf8")).not.toContain(demo.adminKey);
  expect((await run(["logout", "user"])).stdout).toBe("forgotten: user\n");
  expect((await run(["whoami"])).stderr).toMatch(
    /^parley: No server is configured: run parley login/,
  );
});

test("a key goes to no other server than its own", async () => {
  const { url, demo } = server();
  const { run } = await openUser();
  await run(["login", "--url", url], `${demo.adminKey}\n`);
  const elsewhere = ["functions", "list", "--url", "http://127.0.0.1:1"];
  expect((await run(elsewhere)).stderr).toMatch(/^parley: No key for http:\/\/127.0.0.1:1: /);
  const name = new URL(url).host;
  const named = await run([...elsewhere, "--profile", name]);
  expect(named.stderr).toContain(`The profile ${name} belongs to ${url}`);
});

test("the environment comes before profiles, and the demo of the directory after them", async () => {
  const { url, demo, place } = server();
  const { run } = await openUser();
  const inDemo = { PARLEY_DATA_DIR: place.directory };
  expect((await run(["whoami"], "", inDemo)).stdout).toContain(`${url}: key demo admin`);
  await run(["login", "--url", url], `${demo.userKey}\n`);
  expect((await run(["whoami"], "", inDemo)).stdout).toContain("role user");
  const settings = { PARLEY_URL: url, PARLEY_API_KEY: demo.adminKey };
  expect((await run(["whoami"], "", settings)).stdout).toContain("role admin");
  const keyOnly = await run(["whoami"], "", { PARLEY_API_KEY: demo.adminKey });
  expect(keyOnly.stderr).toContain("PARLEY_API_KEY is set, but PARLEY_URL is not");
});

test("a file that holds no profiles is named, and left as it is", async () => {
  const { file, run } = await openUser();
  await run(["login", "--url", server().url], `${server().demo.userKey}\n`);
  await writeFile(file, "{}");
  expect((await run(["whoami"])).stderr).toBe(
    `parley: ${file} is not a file of profiles: remove it, and run parley login\n`,
  );
  expect(await readFile(file, "utf8")).toBe("{}");
});

// What completes prints to the process itself.
test("shells complete commands and options", async () => {
  const { start } = await openUser();
  const run = async (...args: string[]) => {
    const { exited, output } = start(args);
    expect([await exited, args]).toEqual([0, args]);
    return output.stdout;
  };
  const shells = ["bash", "zsh", "fish"].map(async (shell) => run("completion", shell));
  for (const script of await Promise.all(shells)) expect(script).toContain("parley complete --");
  const [names, options] = await Promise.all([
    run("complete", "--", "tools", "re"),
    run("complete", "--", "functions", "logs", "--fo"),
  ]);
  expect(names.match(/^\S+\t/gm)).toEqual(["refresh\t", "remove\t"]);
  expect(options).toContain("--follow");
});
