import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { createSecretBox } from "./secret-box.ts";

const newKey = randomBytes(32);
const oldKey = randomBytes(32);

it("opens what it has encrypted, in its place alone", () => {
  const box = createSecretBox([newKey])!;
  const encrypted = box.encrypt("sk-\u{1F600}", "1/openai");
  expect(box.decrypt(encrypted, "1/openai")).toBe("sk-\u{1F600}");
  expect(() => box.decrypt(encrypted, "2/openai")).toThrow("authenticate");
  expect(Buffer.from(encrypted.ciphertext, "base64").toString()).not.toContain("sk-");
  expect(box.encrypt("sk-\u{1F600}", "1/openai").ciphertext).not.toBe(encrypted.ciphertext);
});

it("notices every altered byte, and a tag that was cut", () => {
  const box = createSecretBox([newKey])!;
  const { keyId, ciphertext } = box.encrypt("secret", "place");
  const bytes = Buffer.from(ciphertext, "base64");
  for (const index of bytes.keys()) {
    const altered = Buffer.from(bytes);
    altered[index] = altered[index]! ^ 1;
    const stored = { keyId, ciphertext: altered.toString("base64") };
    expect(() => box.decrypt(stored, "place")).toThrow("authenticate");
  }
  const short = { keyId, ciphertext: bytes.subarray(0, 20).toString("base64") };
  expect(() => box.decrypt(short, "place")).toThrow("authentication tag");
});

it("opens with older keys, seals with the newest, and names a key that is gone", () => {
  const before = createSecretBox([oldKey])!.encrypt("secret", "place");
  const box = createSecretBox([newKey, oldKey])!;
  expect(box.decrypt(before, "place")).toBe("secret");
  const after = box.encrypt("secret", "place");
  expect(after.keyId).not.toBe(before.keyId);
  const left = createSecretBox([newKey])!;
  expect(left.decrypt(after, "place")).toBe("secret");
  expect(() => left.decrypt(before, "place")).toThrow(before.keyId);
});

it("is not there without a key, and refuses keys of another length", () => {
  expect(createSecretBox([])).toBeUndefined();
  expect(() => createSecretBox([randomBytes(16)])).toThrow("32 bytes");
});
