import { describe, expect, it } from "vitest";
import { hideSecrets } from "./hide-secrets.ts";

const secret = 'pa"ss\\wörd/+&<1>';

describe("secrets in what a server repeats", () => {
  it.each([
    ["as they are", (one: string) => one],
    ["in JSON", (one: string) => JSON.stringify({ one })],
    ["in JSON within JSON", (one: string) => JSON.stringify(JSON.stringify({ one }))],
    ["in JSON with escaped slashes", (one: string) => JSON.stringify(one).replaceAll("/", "\\/")],
    ["in JSON of ASCII", (one: string) => JSON.stringify(one).replace("ö", "\\u00f6")],
    ["in a URL", (one: string) => `https://a.example/?key=${encodeURIComponent(one)}&b=1`],
    [
      "in a URL of small letters",
      (one: string) => encodeURIComponent(one).replaceAll(/%../g, (byte) => byte.toLowerCase()),
    ],
    ["in a form", (one: string) => new URLSearchParams({ one }).toString()],
    ["in base64", (one: string) => Buffer.from(one).toString("base64")],
    ["in base64 after a user", (one: string) => Buffer.from(`me:${one}`).toString("base64")],
    ["in base64 between others", (one: string) => Buffer.from(`Ada:${one}:x`).toString("base64")],
    ["in base64 of URLs", (one: string) => Buffer.from(`a${one}`).toString("base64url")],
  ])("are hidden %s", (_name, echo) => {
    const said = `before ${echo(secret)} after`;
    const hidden = hideSecrets(said, ["another-secret", secret, undefined]);
    expect(hidden).toContain("[hidden]");
    expect(hidden).toMatch(/^before .* after$/);
    for (const part of ["pa", "rd", "cGEi"]) expect(hidden).not.toContain(part);
  });

  it("are not words that others use", () => {
    expect(hideSecrets("Bearer one", ["Bearer", "one", ""])).toBe("Bearer one");
  });
});
