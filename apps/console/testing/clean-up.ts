import { cleanup, configure } from "@testing-library/react";
import { afterEach, vi } from "vitest";
import { queryClient } from "../src/api/query-client.ts";
import { expectAllAnswered } from "./answer-calls.ts";

// Generous, since tests share the machine.
configure({ asyncUtilTimeout: 10_000 });

// Runs for each file of tests: a worker loads all other modules once.
afterEach(() => {
  cleanup();
  queryClient.clear();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  expectAllAnswered();
});
