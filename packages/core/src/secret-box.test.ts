import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { createSecretBox } from "./secret-box.ts";

const newKey = randomBytes(32);
const oldKey = randomBytes(32);

it("opens what it has sealed, in its place alone", () => {
  const box = createSecretBox([newKey])!;
  const sealed = box.seal("sk-\u{1F600}", "1/openai");
  expect(box.open(sealed, "1/openai")).toBe("sk-\u{1F600}");
  expect(() => box.open(sealed, "2/openai")).toThrow("authenticate");
  expect(Buffer.from(sealed.sealed, "base64").toString()).not.toContain("sk-");
  expect(box.seal("sk-\u{1F600}", "1/openai").sealed).not.toBe(sealed.sealed);
});

it("notices every altered byte, and a tag that was cut", () => {
  const box = createSecretBox([newKey])!;
  const { keyId, sealed } = box.seal("secret", "place");
  const bytes = Buffer.from(sealed, "base64");
  for (const index of bytes.keys()) {
    const altered = Buffer.from(bytes);
    altered[index] = altered[index]! ^ 1;
    const stored = { keyId, sealed: altered.toString("base64") };
    expect(() => box.open(stored, "place")).toThrow("authenticate");
  }
  const short = { keyId, sealed: bytes.subarray(0, 20).toString("base64") };
  expect(() => box.open(short, "place")).toThrow("authentication tag");
});

it("opens with older keys, seals with the newest, and names a key that is gone", () => {
  const before = createSecretBox([oldKey])!.seal("secret", "place");
  const box = createSecretBox([newKey, oldKey])!;
  expect(box.open(before, "place")).toBe("secret");
  const after = box.seal("secret", "place");
  expect(after.keyId).not.toBe(before.keyId);
  const left = createSecretBox([newKey])!;
  expect(left.open(after, "place")).toBe("secret");
  expect(() => left.open(before, "place")).toThrow(before.keyId);
});

it("is not there without a key, and refuses keys of another length", () => {
  expect(createSecretBox([])).toBeUndefined();
  expect(() => createSecretBox([randomBytes(16)])).toThrow("32 bytes");
});
