import { cleanup } from "@testing-library/react";
import { afterEach, vi } from "vitest";
import { expectAllAnswered } from "./answer-calls.ts";

// Runs for each file of tests: a worker loads all other modules once.
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  expectAllAnswered();
});
