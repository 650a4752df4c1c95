import { describe, expect, it } from "vitest";
import { isDatabaseBusy, isDatabaseUnavailable } from "./unavailable.ts";

const busy = new Error("timeout exceeded when trying to connect");
const coded = (code: string) => Object.assign(new Error("broken"), { code });

describe("isDatabaseUnavailable", () => {
  it.each([
    ["a refused connection", coded("ECONNREFUSED"), true],
    ["a reset connection", coded("ECONNRESET"), true],
    ["a host without an address", coded("EAI_AGAIN"), true],
    ["a connection failure", coded("08006"), true],
    ["a server that shuts down", coded("57P01"), true],
    ["a server that starts", coded("57P03"), true],
    ["too many connections", coded("53300"), true],
    ["a query without an answer", new Error("Query read timeout"), true],
    ["a pool without a free connection", busy, false],
    ["a connection that was lost", new Error("Connection terminated unexpectedly"), true],
    ["a pool that is closed", new Error("Cannot use a pool after calling end on the pool"), true],
    ["one behind another error", new Error("Failed query", { cause: coded("57P01") }), true],
    ["a unique violation", coded("23505"), false],
    ["a deadlock", coded("40P01"), false],
    ["a cancelled query", coded("57014"), false],
    ["a syntax error behind another", new Error("Failed query", { cause: coded("42601") }), false],
    ["any other error", new Error("broken"), false],
    ["a text", "ECONNREFUSED", false],
    ["nothing", undefined, false],
    ["a code that is no text", Object.assign(new Error("broken"), { code: 57 }), false],
  ])("knows whether %s is one: %s", (_name, error, unavailable) => {
    expect(isDatabaseUnavailable(error)).toBe(unavailable);
  });
});

describe("isDatabaseBusy", () => {
  it.each([
    ["a pool without a free connection", busy, true],
    ["one behind another error", new Error("Failed query", { cause: busy }), true],
    ["a refused connection", coded("ECONNREFUSED"), false],
    ["a text", "timeout exceeded when trying to connect", false],
  ])("knows whether %s is one: %s", (_name, error, isBusy) => {
    expect(isDatabaseBusy(error)).toBe(isBusy);
  });
});
