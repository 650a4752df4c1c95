import { afterAll, beforeAll, expect, it } from "vitest";
import type { Sandbox } from "../contract.ts";
import { openTestSandbox, outcomeOf, runCode } from "../../testing/run-code.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openTestSandbox();
});
afterAll(() => sandbox.close());

const AsyncFunction = (async () => {}).constructor as new (code: string) => () => Promise<unknown>;

// Node's own are what the sandbox's must be like.
it.each([
  ["encodes", 'return [..."aé€😀\\ud800z"].map((c) => [...new TextEncoder().encode(c)]);'],
  [
    "encodes into",
    'const b = new Uint8Array(6); return [new TextEncoder().encodeInto("a€😀", b), [...b]];',
  ],
  [
    "decodes",
    "return new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 0xf0, 0x9f, 0x98, 0x80, 97]));",
  ],
  [
    "decodes what is wrong",
    "return [[0xc0, 0x80], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x41], [0xff, 0x61]].map((b) => new TextDecoder().decode(new Uint8Array(b)));",
  ],
  [
    "decodes in pieces",
    "const d = new TextDecoder(); return [d.decode(new Uint8Array([0xe2, 0x82]), { stream: true }), d.decode(new Uint8Array([0xac]), { stream: true }), d.decode(), d.decode(new Uint8Array([0x82]))];",
  ],
  [
    "refuses fatally",
    "const d = new TextDecoder('utf8', { fatal: true, ignoreBOM: true }); try { d.decode(new Uint8Array([0xff])); } catch (e) { return [e.name, d.fatal, d.ignoreBOM, d.encoding]; }",
  ],
  [
    "turns to base64 and back",
    'return ["", "a", "ab", "abc", "\\xff\\x00\\xfe"].map((t) => [btoa(t), atob(btoa(t)), atob(" Y Q ")]);',
  ],
  [
    "refuses base64",
    'return ["a", "=", "a===", "ä", "YQ=", "Y=Q="].map((t) => { try { return atob(t); } catch (e) { return e.name; } });',
  ],
  [
    "refuses wide text",
    'try { btoa("€"); } catch (e) { return [e.name, e instanceof DOMException]; }',
  ],
  [
    "clones",
    "const a = { d: new Date(5), m: new Map([[1, { x: 1 }]]), s: new Set([1]), l: [1, , 3], u: undefined, b: new Uint8Array([1, 2]), r: /a/gi }; a.self = a; const c = structuredClone(a); return [c !== a, c.self === c, c.d.getTime(), c.m.get(1), [...c.s], c.l.length, 1 in c.l, 'u' in c, [...c.b], String(c.r)];",
  ],
  [
    "clones errors",
    "const e = structuredClone(new RangeError('no')); return [e instanceof RangeError, e.message, e.name];",
  ],
  [
    "refuses to clone",
    "return [() => 1, Symbol('a'), { f() {} }, Promise.resolve()].map((v) => { try { structuredClone(v); return 'cloned'; } catch (e) { return e.name; } });",
  ],
  [
    "parses URLs",
    'const u = new URL("../b?x=1&y=a%20b+c#h", "https://me:pw@example.com:8443/a/c/d"); return [u.href, u.origin, u.host, u.port, u.username, u.pathname, u.hash, [...u.searchParams], String(u), JSON.stringify(u)];',
  ],
  [
    "changes URLs",
    'const u = new URL("http://a.test/"); const p = u.searchParams; u.protocol = "https"; u.pathname = "ä b"; u.port = "99999"; p.append("k", "v w&é"); p.set("k", "2"); p.append("z", "/"); u.hash = "x"; const before = u.href; u.search = "?q=1"; return [before, p.get("q"), p.size, u.href];',
  ],
  [
    "refuses URLs",
    'return ["", "a", "http://", "http://[x"].map((t) => { try { return new URL(t).href; } catch (e) { return [e.name, URL.canParse(t), URL.parse(t)]; } });',
  ],
  [
    "reads and writes parameters",
    'const p = new URLSearchParams({ b: "2", a: "1 *-._~" }); p.append("b", "é"); p.sort(); return [String(p), p.getAll("b"), p.has("b", "2"), p.get("none"), [...p.keys()], String(new URLSearchParams("?a=%zz&b=%C3%A9&&c")), String(new URLSearchParams([["x", "y"]]))];',
  ],
])("%s as Node does", async (_name, code) => {
  const expected = await new AsyncFunction(code)();
  expect(JSON.parse(outcomeOf(await runCode(sandbox, code)))).toEqual(
    JSON.parse(JSON.stringify(expected)),
  );
});

it("has random numbers, which are others in each invocation", async () => {
  const code =
    "return [crypto.randomUUID(), [...crypto.getRandomValues(new Uint32Array(4))].join()];";
  const drawn = new Set<string>();
  for (let count = 0; count < 3; count++) {
    const [uuid, numbers] = JSON.parse(outcomeOf(await runCode(sandbox, code))) as [string, string];
    expect(uuid).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    drawn.add(uuid).add(numbers);
  }
  expect(drawn.size).toBe(6);
});

it("prints with every level of the console", async () => {
  const code =
    "for (const level of ['debug', 'log', 'info', 'warn', 'error']) console[level](level, { a: 1 });";
  const { events } = await runCode(sandbox, code);
  expect(events.slice(0, 5)).toEqual(
    ["debug", "log", "info", "warn", "error"].map((level) => ({
      type: "log",
      stream: level === "warn" || level === "error" ? "stderr" : "stdout",
      text: `${level} {"a":1}`,
    })),
  );
});
