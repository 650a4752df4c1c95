import { createRpcClient } from "parley-client";
import { describe, expect, it } from "vitest";
import { shareServer } from "../server.ts";
import { openUser, settingsOf } from "./user.ts";

const tokens = ["users", "tokens"];
const create = [...tokens, "create", "--scope", "conversations:read"];

describe("tokens of users on the command line", () => {
  const server = shareServer();
  const open = async (key: "adminKey" | "userKey" | "operatorKey" = "adminKey") => {
    const { run } = await openUser();
    const apiKey = server().demo[key];
    const workspace = { PARLEY_WORKSPACE: server().demo.workspaceId };
    const settings = { ...settingsOf(server()), PARLEY_API_KEY: apiKey, ...workspace };
    return async (args: readonly string[]) => run(args, "", settings);
  };
  /** Whether a token opens the server. */
  const isValid = async (apiKey: string): Promise<boolean> =>
    createRpcClient({ url: server().url, apiKey })
      .session.get.query({})
      .then(
        () => true,
        () => false,
      );

  it("a token is printed once, works, and no longer after it is revoked", async () => {
    const run = await open();
    const created = await run([...create, "--external-id", "u-1", "--first-name", "Ada"]);
    expect(created.stderr).toMatch(
      /^created: token tok_\w+ of Ada; its secret is shown only once\n$/,
    );
    expect(created.stdout).toMatch(/^ut-\w{40}\n$/);
    const secret = created.stdout.trim();
    expect(await isValid(secret)).toBe(true);
    const [id = ""] = /tok_\w+/.exec(created.stderr) ?? [];
    const unasked = await run([...tokens, "revoke", id]);
    expect([unasked.code, unasked.stderr]).toEqual([
      1,
      `parley: This would permanently revoke token ${id}. Add --yes to confirm\n`,
    ]);
    const revoked = await run([...tokens, "revoke", id, "--yes"]);
    expect([revoked.stdout, revoked.stderr]).toEqual([`revoked: token ${id}\n`, ""]);
    expect(await isValid(secret)).toBe(false);
  });

  it("all tokens of a member are revoked at once, and those of others stay", async () => {
    const run = await open();
    await run(["members", "create", "ada@example.com", "--first-name", "Ada"]);
    const secretOf = async (user: readonly string[]) => (await run([...create, ...user])).stdout;
    const ofAda = ["--user-id", "ada@example.com"];
    const first = await secretOf(ofAda);
    const second = await secretOf(ofAda);
    const other = await secretOf(["--external-id", "u-2"]);
    const revoked = await run([...tokens, "revoke", ...ofAda, "--yes"]);
    expect(revoked.stdout).toBe("revoked: all tokens of ada@example.com\n");
    const secrets = [first, second, other].map((secret) => secret.trim());
    expect(await Promise.all(secrets.map(isValid))).toEqual([false, false, true]);
  });

  it.for([
    {
      why: "an unknown token",
      args: [...tokens, "revoke", "tok_nobody", "--yes"],
      said: /^parley: .*no such token \(parley users tokens create prints the id of each token\)/,
    },
    {
      why: "an unknown member",
      args: [...create, "--user-id", "nobody@example.com"],
      said: /^parley: No member named "nobody@example\.com"/,
    },
    {
      why: "neither a token nor a user",
      args: [...tokens, "revoke"],
      code: 2,
      said: /^parley: name either the id of a token or a user with --user-id; see parley users tokens revoke --help\n$/,
    },
    {
      why: "a scope that there is not",
      args: [...tokens, "create", "--external-id", "u-3", "--scope", "everything"],
      code: 2,
      said: /^parley: .*Allowed choices are conversations:read/,
    },
    {
      why: "two users",
      args: [...create, "--external-id", "u-3", "--user-id", "x"],
      code: 2,
      said: /^parley: name a user either with --external-id or with --user-id; see /,
    },
    {
      why: "the key of an operator",
      args: [...create, "--external-id", "u-3"],
      key: "operatorKey",
      said: /^parley: This needs a key of the workspace \(choose another key with --profile or PARLEY_API_KEY\)/,
    },
    {
      why: "an e-mail address from the key of a user",
      args: [...create, "--external-id", "u-4", "--email", "eve@example.com"],
      key: "userKey",
      said: /^parley: email: .*needs a key of role builder \(choose another key/,
    },
  ] as const)("$why is refused, and nothing is printed", async (refused) => {
    const run = await open("key" in refused ? refused.key : "adminKey");
    const { code, stdout, stderr } = await run(refused.args);
    expect([code, stdout]).toEqual(["code" in refused ? refused.code : 1, ""]);
    expect(stderr).toMatch(refused.said);
    expect(stderr.trimEnd()).not.toContain("\n");
  });
});
