import { expect, test } from "vitest";
import { shareServer } from "../server.ts";
import { shareShop } from "../tools/shop-server.ts";
import { entries } from "./golden/entries/all.ts";
import { type Entry, typedIn } from "./golden/entry.ts";
import { openWorld } from "./golden/world.ts";
import { REFUSED, refuseCall } from "./refusing-clients.ts";
import { type Ran, runCli } from "./run-cli.ts";

// How a refused call is explained is tested once for each class of answer; here it is shown that no call of any command
// has another explanation.

const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
const shop = shareShop();

/** Commands whose calls of a server are not their own: the doctor's findings are its output, chat asks a person. */
const others = ["doctor", "chat"];
const calling = entries.filter(
  ({ command, opens = "server" }) => opens === "server" && !others.includes(command),
);
/** Calls of commands that never end: what they ask first, and what they follow. */
const ENDLESS_CALLS = 2;

test.for(calling)("parley $command explains each call that is refused", async (entry) => {
  await using world = await openWorld({ server: server(), shop: shop() }, false);
  const prepared = (await entry.prepare?.(world)) ?? {};
  const given = typeof entry.args === "function" ? entry.args(prepared) : (entry.args ?? []);
  const yes = entry.confirmed === undefined ? [] : ["--yes"];
  const args = [...entry.command.split(" "), ...given, ...yes];
  const environment = {
    XDG_CONFIG_HOME: world.home,
    PARLEY_URL: world.url,
    PARLEY_API_KEY: entry.key === "operator" ? world.operatorKey : world.adminKey,
    // The id of the workspace is asked for too.
  };
  const stdin = typedIn(entry.input ?? "", environment);
  const lastCall = isEndless(entry) ? ENDLESS_CALLS : Number.POSITIVE_INFINITY;
  const refused: { call: number; code: number | null; said: string | undefined }[] = [];
  let whole: Ran | undefined;
  for (let call = 1; call <= lastCall && whole === undefined; call++) {
    const clients = refuseCall(call);
    const { connect } = clients;
    const ran = await runCli(args, { stdin, environment, cwd: world.home, connect });
    const said = ran.stderr.trimEnd().split("\n").at(-1);
    if (clients.calls < call) whole = ran;
    else refused.push({ call, code: ran.code, said });
  }
  expect(refused.length).toBeGreaterThan(0);
  expect(refused).toEqual(
    refused.map(({ call }) => ({ call, code: 1, said: expect.stringMatching(REFUSED) as string })),
  );
  const exits = entry.exits ?? 0;
  expect(whole?.code ?? exits, whole?.stderr).toBe(exits);
});

const isEndless = ({ until }: Entry): boolean => until !== undefined;
