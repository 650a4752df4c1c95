import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ensureEncryptionKeys, readEncryptionKeys } from "./encryption-keys.ts";

let directory: string;
let file: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), "parley-keys-"));
  file = path.join(directory, "encryption.key");
});
afterEach(() => rm(directory, { recursive: true }));

const other = randomBytes(32);
const settings = (given: readonly Buffer[] = [], DATABASE_URL?: string) => ({
  DATABASE_URL,
  PARLEY_DATA_DIR: directory,
  PARLEY_ENCRYPTION_KEY: given.length === 0 ? undefined : [...given],
});
const ensure = async (...given: Parameters<typeof settings>) => {
  const created: string[] = [];
  const keys = await ensureEncryptionKeys(settings(...given), (one) => created.push(one));
  return { keys, created };
};

it("is created once, for its owner alone, and in the form of the setting", async () => {
  const { keys, created } = await ensure();
  expect(created).toEqual([file]);
  expect(await readdir(directory)).toEqual(["encryption.key"]);
  expect(await readFile(file, "utf8")).toBe(`${keys[0]?.toString("base64")}\n`);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await ensure()).toEqual({ keys, created: [] });
});

it("comes after the keys of the settings, with which none is created", async () => {
  expect(await ensure([other])).toEqual({ keys: [other], created: [] });
  const { keys } = await ensure();
  expect(await ensure([other])).toEqual({ keys: [other, ...keys], created: [] });
  expect(await readEncryptionKeys(settings([other]))).toEqual({ keys: [other, ...keys], file });
});

it("is neither created nor read beside a database of the operator's", async () => {
  const url = "postgres://db/parley";
  expect(await ensure([], url)).toEqual({ keys: [], created: [] });
  expect(await readdir(directory)).toEqual([]);
  await ensure();
  expect(await ensure([], url)).toEqual({ keys: [], created: [] });
});

it("is replaced by one that stands before it in the file", async () => {
  const { keys } = await ensure();
  const whole = [other, ...keys];
  await writeFile(file, whole.map((key) => key.toString("base64")).join(","));
  expect((await ensure()).keys).toEqual(whole);
});

describe("a file is refused, and kept,", () => {
  it.each([
    ["that other users can read", 0o640, other.toString("base64"), /chmod 600/],
    ["that is cut off", 0o600, other.toString("base64").slice(0, 40), /is damaged/],
    ["that is empty", 0o600, "\n", /is damaged/],
  ])("%s", async (_name, mode, content, reason) => {
    await writeFile(file, content);
    await chmod(file, mode);
    await expect(ensure()).rejects.toThrow(reason);
    await expect(ensure([other])).rejects.toThrow(file);
    await expect(ensure()).rejects.not.toThrow(content);
    expect(await readFile(file, "utf8")).toBe(content);
    expect((await stat(file)).mode & 0o777).toBe(mode);
  });
});
