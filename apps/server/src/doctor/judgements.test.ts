import { describe, expect, it } from "vitest";
import { judgeDisk, judgeFiles, judgeMemory } from "./check-machine.ts";
import { judgeSecrets } from "./check-encryption.ts";
import { judgeClock } from "./check-server.ts";
import {
  judgeConnections,
  judgeObservation,
  judgeSchedules,
  judgeTables,
} from "./check-storage.ts";
import { failBy, type Finding } from "./finding.ts";

const MIB = 1024 * 1024;

const quiet = {
  openAlerts: 0,
  failingDestinations: 0,
  unindexedMs: 0,
  failedDivisions: 0,
  undividedMs: 0,
  failingWebSources: 0,
  byMeaning: 0,
  withoutVectors: 0,
  vectorIndexes: 0,
};

describe("what is found is judged", () => {
  const disk = { what: "disk", place: "/data", hasNames: true };
  const bounds = { warnBytes: 100 * MIB, failBytes: 10 * MIB };
  const cases: [name: string, found: Finding | undefined, level: string | undefined][] = [
    ["a large disk", judgeDisk({ ...disk, freeBytes: 100 * MIB }, bounds), "ok"],
    ["a small disk", judgeDisk({ ...disk, freeBytes: 100 * MIB - 1 }, bounds), "warn"],
    ["a full disk", judgeDisk({ ...disk, freeBytes: 10 * MIB - 1 }, bounds), "fail"],
    ["no inodes", judgeDisk({ ...disk, freeBytes: 100 * MIB, hasNames: false }, bounds), "fail"],
    ["memory", judgeMemory(1024 * MIB, false), "ok"],
    ["little memory", judgeMemory(1024 * MIB - 1, true), "warn"],
    ["many files", judgeFiles(4096), "ok"],
    ["files without limit", judgeFiles(Infinity), "ok"],
    ["fewer files", judgeFiles(4095), "warn"],
    ["few files", judgeFiles(511), "fail"],
    ["a clock that agrees", judgeClock("it", 2999)[0], "ok"],
    ["a clock behind", judgeClock("it", 3000)[0], "warn"],
    ["a clock ahead", judgeClock("it", -3000)[0], "warn"],
    ["an unknown clock", judgeClock("it", undefined)[0], undefined],
    ["connections", judgeConnections({ most: 100, available: 19 }, 16), "ok"],
    ["fewer connections", judgeConnections({ most: 100, available: 18 }, 16), "warn"],
    ["no connections", judgeConnections({ most: 100, available: 3 }, 16), "fail"],
    ["older tables", judgeTables({ state: "older", missing: 1 }, true), "warn"],
    ["older tables of another", judgeTables({ state: "older", missing: 1 }, false), "fail"],
    ["an empty database", judgeTables({ state: "empty", missing: 9 }, true), "ok"],
    ["no stalled schedules", judgeSchedules({ withoutKey: 0, failing: 0 })[0], undefined],
    ["a schedule without a key", judgeSchedules({ withoutKey: 1, failing: 0 })[0], "warn"],
    ["a schedule that fails", judgeSchedules({ withoutKey: 0, failing: 1 })[0], "warn"],
    ["nothing to observe", judgeObservation(quiet)[0], undefined],
    ["a failed division", judgeObservation({ ...quiet, failedDivisions: 1 })[0], "warn"],
    ["divisions on time", judgeObservation({ ...quiet, undividedMs: 600_000 })[0], undefined],
    ["a failing web source", judgeObservation({ ...quiet, failingWebSources: 1 })[0], "warn"],
    ["late divisions", judgeObservation({ ...quiet, undividedMs: 600_001 })[0], "warn"],
    [
      "secrets with their key",
      judgeSecrets(new Map([["a", 2]]), new Set(["a", "b"]), ["it"]),
      "ok",
    ],
    ["secrets without one", judgeSecrets(new Map([["a", 2]]), new Set(["b"]), ["it"]), "fail"],
    ["no secrets and no key", judgeSecrets(new Map(), new Set(), []), "ok"],
  ];

  it.for(cases)("%s", ([, found, level]) => {
    expect(found?.level).toBe(level);
    const isBad = level === "warn" || level === "fail";
    expect(found?.cure !== undefined).toBe(isBad);
  });
});

describe("the cure of a sentence", () => {
  it.for([
    ["a: b failed: do c", "a: b failed", "do c"],
    ["It is wrong (do c)", "It is wrong", "do c"],
    ["It is wrong (do c) [request r-1]", "It is wrong [request r-1]", "do c"],
    ["It is\nwrong", "It is wrong", "otherwise"],
    ["at http://host:1/x: do c: d", "at http://host:1/x: do c", "d"],
  ])("%s", ([sentence = "", finding, cure]) => {
    expect(failBy("it", sentence, "otherwise")).toEqual({
      level: "fail",
      what: "it",
      finding,
      cure,
    });
  });
});
