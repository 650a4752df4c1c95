import { expect, test } from "vitest";
import { shareServer } from "../server.ts";
import { shareShop } from "../tools/shop-server.ts";
import { entries } from "./golden/entries/all.ts";
import { type Entry, typedIn } from "./golden/entry.ts";
import { openWorld } from "./golden/world.ts";
import { REFUSED, refuseCall } from "./refusing-clients.ts";
import { runCli } from "./run-cli.ts";

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
  for (let call = 1; call <= lastCall; call++) {
    const clients = refuseCall(call);
    const { connect } = clients;
    const ran = await runCli(args, { stdin, environment, cwd: world.home, connect });
    if (clients.calls < call) {
      expect([ran.code, call > 1], ran.stderr).toEqual([entry.exits ?? 0, true]);
      return;
    }
    const said = ran.stderr.trimEnd().split("\n").at(-1);
    expect([call, ran.code, said]).toEqual([call, 1, expect.stringMatching(/^parley: /)]);
    expect([call, said]).toEqual([call, expect.stringContaining(REFUSED)]);
  }
});

const isEndless = ({ until }: Entry): boolean => until !== undefined;
