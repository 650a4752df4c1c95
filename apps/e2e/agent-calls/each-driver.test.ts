import { describe } from "vitest";
import { onEachDriver, shareServer } from "../server.ts";
import { functionCallsSuite } from "./function-calls.ts";

onEachDriver((driver) => {
  // With one place for a run, a turn that held it while its functions run would wait for ever.
  const server = shareServer(driver, { PARLEY_WORKER_CONCURRENCY: "1" });
  describe("agents that call functions", () => {
    functionCallsSuite(server);
  });
});
