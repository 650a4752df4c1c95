import { describe } from "vitest";
import { onEachDriver, shareServer } from "../server.ts";
import { refusalsSuite } from "./refusals.ts";
import { replaysSuite } from "./replays.ts";

const suites = { replays: replaysSuite, "keys that are refused": refusalsSuite };

onEachDriver((driver) => {
  const server = shareServer(driver);
  describe.for(Object.entries(suites))("%s", ([, suite]) => {
    suite(server);
  });
});
