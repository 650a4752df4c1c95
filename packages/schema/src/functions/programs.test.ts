import { describe, expect, it } from "vitest";
import { filesOf } from "./javascript-program.ts";
import { Program } from "./programs.ts";

const code = (more: object) => Program.safeParse({ type: "javascript", source: "x", ...more });

describe("a program in JavaScript", () => {
  it("has every default", () => {
    expect(Program.parse({ type: "javascript", source: "x" })).toEqual({
      type: "javascript",
      source: "x",
      allowedHosts: [],
      secrets: [],
      cpuMs: 10_000,
      memoryBytes: 67_108_864,
      logBytes: 1_048_576,
      fetches: 50,
      fetchBytes: 16_777_216,
    });
  });

  it("is a module, or files with an entry", () => {
    expect(filesOf("x")).toEqual({ "index.ts": "x" });
    const files = { "index.js": "x", "lib/add.two.ts": "", "node_modules/@a/b/$c+~@d.js": "" };
    expect(code({ source: files }).success).toBe(true);
    expect(filesOf(files)).toBe(files);
  });

  it.each([
    ["nothing", { source: "" }],
    ["no entry", { source: { "main.ts": "x" } }],
    ["a path outside", { source: { "index.ts": "x", "../a.ts": "" } }],
    ["an absolute path", { source: { "index.ts": "x", "/a.ts": "" } }],
    ["a hidden path", { source: { "index.ts": "x", ".env": "" } }],
    ["an empty step", { source: { "index.ts": "x", "a//b.ts": "" } }],
    ["a path out of packages", { source: { "index.ts": "x", "node_modules/../a.ts": "" } }],
    ["a hidden package", { source: { "index.ts": "x", "node_modules/.pnpm/a.js": "" } }],
    ["a scope elsewhere", { source: { "index.ts": "x", "lib/@a/b.js": "" } }],
    ["too much", { source: { "index.ts": "x".repeat(600_000), "a.ts": "x".repeat(600_000) } }],
    ["a URL as a host", { allowedHosts: ["https://api.example.com"] }],
    ["a path of a host", { allowedHosts: ["api.example.com/v1"] }],
    ["any host", { allowedHosts: ["*"] }],
    ["a secret without a name", { secrets: [{ name: "" }] }],
    ["a secret twice", { secrets: [{ name: "A" }, { name: "A", readable: true }] }],
    ["no time", { cpuMs: 0 }],
    ["no memory", { memoryBytes: 1024 }],
  ])("is refused with %s", (_name, more) => expect(code(more).success).toBe(false));
});

describe("a program of E2B", () => {
  const e2b = (more: object) =>
    Program.safeParse({ type: "e2b", language: "python", source: "x", ...more });

  it("has a language, one file, and a template if it names one", () => {
    expect(e2b({ template: "my-team/packages:2" }).success).toBe(true);
    expect(Program.parse({ type: "e2b", language: "javascript", source: "x" })).toEqual({
      type: "e2b",
      language: "javascript",
      source: "x",
    });
  });

  it.each([
    ["another language", { language: "ruby" }],
    ["nothing", { source: "" }],
    ["several files", { source: { "index.js": "x" } }],
    ["too many bytes", { source: "€".repeat(400_000) }],
    ["a template outside", { template: "../a" }],
    ["no template", { template: "" }],
  ])("is refused with %s", (_name, more) => expect(e2b(more).success).toBe(false));
});
