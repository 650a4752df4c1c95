import { describe } from "vitest";
import { shareServer } from "../server.ts";
import { refusalsSuite } from "./refusals.suite.ts";
import { replaysSuite } from "./replays.suite.ts";

const suites = { replays: replaysSuite, "keys that are refused": refusalsSuite };

describe("a server", () => {
  const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
  describe.for(Object.entries(suites))("%s", ([, suite]) => {
    suite(server);
  });
});
