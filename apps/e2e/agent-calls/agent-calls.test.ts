import { describe } from "vitest";
import { shareServer } from "../server.ts";
import { approvalsSuite } from "./approvals.suite.ts";
import { questionsSuite } from "./questions.suite.ts";
import { functionCallsSuite } from "./function-calls.suite.ts";

describe("a server", () => {
  // With one place for a run, a turn that held it while its functions run would wait for ever.
  const server = shareServer({ PARLEY_WORKER_CONCURRENCY: "1" });
  describe("agents that call functions", () => {
    functionCallsSuite(server);
  });
  describe("agents that ask", () => {
    questionsSuite(server);
  });
  describe("calls that wait for approval", () => {
    approvalsSuite(server);
  });
});
