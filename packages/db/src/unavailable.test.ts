import { describe, expect, it } from "vitest";
import {
  isDatabaseBusy,
  isDatabaseUnavailable,
  isDatabaseUnwritable,
  isDataError,
  isOutcomeUnknown,
  reasonOfUnavailable,
} from "./unavailable.ts";

const busy = new Error("timeout exceeded when trying to connect");
const coded = (code: string) => Object.assign(new Error("broken"), { code });
const failed = (code: string, syscall: string) =>
  Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
const behind = (cause: unknown) => new Error("Failed query", { cause });

describe("isDatabaseUnavailable", () => {
  it.each([
    ["a refused connection", failed("ECONNREFUSED", "connect"), true],
    ["a reset connection", failed("ECONNRESET", "read"), true],
    ["a host without an address", failed("EAI_AGAIN", "getaddrinfo"), true],
    ["a socket that is not there", failed("ENOENT", "connect"), true],
    ["a file that is not there", failed("ENOENT", "open"), false],
    ["a client that hangs up while it sends", coded("ECONNRESET"), false],
    [
      "a name whose addresses all refuse",
      new AggregateError([failed("ECONNREFUSED", "connect")]),
      true,
    ],
    ["a connection failure", coded("08006"), true],
    ["a server that shuts down", coded("57P01"), true],
    ["a server that starts", coded("57P03"), true],
    ["too many connections", coded("53300"), true],
    ["a full disk", coded("53100"), true],
    ["a server without memory", coded("53200"), true],
    ["a disk that cannot be read", coded("58030"), true],
    ["a standby that is written to", coded("25006"), true],
    ["a query without an answer", new Error("Query read timeout"), true],
    ["a pool without a free connection", busy, false],
    ["a database that answers nothing", new Error("The database does not answer"), true],
    ["a connection that was lost", new Error("Connection terminated unexpectedly"), true],
    ["a pool that is closed", new Error("Cannot use a pool after calling end on the pool"), true],
    ["one behind another error", behind(coded("57P01")), true],
    ["a unique violation", coded("23505"), false],
    ["a deadlock", coded("40P01"), false],
    ["a cancelled query", coded("57014"), true],
    ["a syntax error behind another", behind(coded("42601")), false],
    ["any other error", new Error("broken"), false],
    ["a text", "ECONNREFUSED", false],
    ["nothing", undefined, false],
    ["a code that is no text", Object.assign(new Error("broken"), { code: 57 }), false],
  ])("knows whether %s is one: %s", (_name, error, unavailable) => {
    expect(isDatabaseUnavailable(error)).toBe(unavailable);
  });
});

describe("isOutcomeUnknown", () => {
  it.each([
    ["a connection that was lost", behind(new Error("Connection terminated unexpectedly")), true],
    ["a connection that was reset", behind(failed("ECONNRESET", "read")), true],
    ["a server that shuts down", coded("57P01"), true],
    ["a query without an answer", new Error("Query read timeout"), true],
    ["a refused connection", failed("ECONNREFUSED", "connect"), false],
    ["a full disk", behind(coded("53100")), false],
    ["too many connections", coded("53300"), false],
    ["a standby that is written to", coded("25006"), false],
    ["a pool without a free connection", busy, false],
    ["a database that answers nothing", new Error("The database does not answer"), false],
    ["a unique violation", coded("23505"), false],
  ])("knows whether %s is one: %s", (_name, error, unknown) => {
    expect(isOutcomeUnknown(error)).toBe(unknown);
  });
});

describe("isDatabaseUnwritable", () => {
  it.each([
    ["a full disk", behind(coded("53100")), true],
    ["a standby that is written to", coded("25006"), true],
    ["too many connections", coded("53300"), false],
    ["a connection that was lost", new Error("Connection terminated unexpectedly"), false],
  ])("knows whether %s is one: %s", (_name, error, unwritable) => {
    expect(isDatabaseUnwritable(error)).toBe(unwritable);
  });
});

describe("isDataError", () => {
  it.each([
    ["a character that cannot be stored", behind(coded("22P05")), true],
    ["a unique violation", coded("23505"), true],
    ["a full disk", coded("53100"), false],
    ["a deadlock", coded("40P01"), false],
    ["a connection that was lost", new Error("Connection terminated unexpectedly"), false],
  ])("knows whether %s is one: %s", (_name, error, isOfData) => {
    expect(isDataError(error)).toBe(isOfData);
  });
});

describe("reasonOfUnavailable", () => {
  const refused = failed("ECONNREFUSED", "connect");
  it.each([
    ["of an error behind others", behind(behind(refused)), "connect ECONNREFUSED"],
    [
      "of the first address of a name",
      behind(new AggregateError([refused])),
      "connect ECONNREFUSED",
    ],
    ["of a pool without a free connection", busy, busy.message],
    ["of no error of data", coded("23505"), undefined],
  ])("tells the words %s", (_name, error, reason) => {
    expect(reasonOfUnavailable(error)).toBe(reason);
  });
});

describe("isDatabaseBusy", () => {
  it.each([
    ["a pool without a free connection", busy, true],
    ["one behind another error", behind(busy), true],
    ["a refused connection", failed("ECONNREFUSED", "connect"), false],
    ["a text", "timeout exceeded when trying to connect", false],
  ])("knows whether %s is one: %s", (_name, error, isBusy) => {
    expect(isDatabaseBusy(error)).toBe(isBusy);
  });
});
