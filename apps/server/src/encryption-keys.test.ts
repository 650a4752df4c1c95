import { randomBytes } from "node:crypto";
import { BadConfiguration } from "@parley/command/setting-faults";
import { expect, it } from "vitest";
import { readSettings } from "./config.ts";

const key = randomBytes(32).toString("base64");

it("reads no encryption key, one or several, newest first", () => {
  const keysOf = (value: string) =>
    readSettings({ PARLEY_ENCRYPTION_KEY: value }).PARLEY_ENCRYPTION_KEY?.map((one) =>
      one.toString("base64"),
    );
  const older = randomBytes(32).toString("base64");
  expect(keysOf(key)).toEqual([key]);
  expect(keysOf(`${key}, ${older}`)).toEqual([key, older]);
  expect(keysOf("")).toBeUndefined();
});

it.each(["secret", `${key},`, randomBytes(16).toString("base64"), `${key.slice(0, -1)}!`])(
  "refuses an invalid key without repeating it (%#)",
  (value) => {
    const read = () => readSettings({ PARLEY_ENCRYPTION_KEY: value });
    expect(read).toThrow(BadConfiguration);
    expect(read).toThrow("PARLEY_ENCRYPTION_KEY is not valid: it must be 32 bytes in base64");
    expect(read).not.toThrow(value);
  },
);
