import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { type Loopback, startLoopback } from "@parley/guarded-fetch/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sandbox, SandboxExecution } from "../contract.ts";
import { openTestSandbox, outcomeOf, runCode, testLimits } from "../../testing/run-code.ts";

const names: Readonly<Record<string, readonly string[]>> = {
  "inward.example": ["10.0.0.1"],
  "half.example": ["8.8.8.8", "127.0.0.1"],
  "metadata.example": ["169.254.169.254"],
  "mapped.example": ["::ffff:10.0.0.1"],
  "zero.example": ["0.0.0.0"],
  "six.example": ["fd00::1"],
};
let asked = 0;
const resolve = async (name: string) => {
  // It changes its mind after the first answer.
  const addresses =
    name === "fickle.example" ? [asked++ === 0 ? "127.0.0.1" : "10.0.0.1"] : names[name];
  return (addresses ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
};

const seen: {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}[] = [];
async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  const { url = "", headers } = request;
  seen.push({ url, headers, body });
  const target = new URL(url, "http://a").searchParams.get("to");
  if (target !== null) response.writeHead(302, { location: target }).end();
  else if (url === "/large") response.end("x".repeat(200_000));
  else if (url !== "/silent") {
    response
      .setHeader("x-echo", headers.authorization ?? "")
      .end(JSON.stringify({ headers, body }));
  }
}

let server: Loopback;
let other: Loopback;
let sandbox: Sandbox;
beforeAll(async () => {
  other = await startLoopback((request, response) => {
    seen.push({ url: `other${request.url}`, headers: request.headers, body: "" });
    response.end("other");
  });
  server = await startLoopback((request, response) => void serve(request, response));
  sandbox = await openTestSandbox({
    privateHosts: [server.host, other.host, "fickle.example"],
    resolve,
  });
});
afterAll(async () => {
  await sandbox.close();
  await server[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

const run = (code: string, more: Partial<SandboxExecution> = {}) =>
  runCode(sandbox, code, { allowedHosts: [server.host], ...more });
const get = (url: string) => `return (await context.fetch(${JSON.stringify(url)})).text();`;

describe("requests of functions", () => {
  it.each([
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://017700000001/",
    "https://0x7f.0.0.1/",
    "https://0x7f000001/",
    "https://１２７.0.0.1/",
    "https://127.0.0.1./",
    "https://0/",
    "https://0.0.0.0/",
    "https://10.0.0.1/",
    "https://172.16.0.1/",
    "https://192.168.0.1/",
    "https://100.64.0.1/",
    "https://169.254.169.254/latest/meta-data",
    "https://168.63.129.16/",
    "https://224.0.0.1/",
    "https://255.255.255.255/",
    "https://198.18.0.1/",
    "https://[::1]/",
    "https://[::]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[2002:7f00:1::]/",
    "https://[fd00:ec2::254]/",
    "https://[fe80::1]/",
    "https://localhost/",
    "https://LOCALHOST./",
    "https://a.localhost/",
    "https://inward.example/",
    "https://half.example/",
    "https://metadata.example/",
    "https://mapped.example/",
    "https://zero.example/",
    "https://six.example/",
    "http://8.8.8.8/",
    "http://public.example/",
    "https://user:password@8.8.8.8/",
    "ftp://8.8.8.8/",
    "file:///etc/passwd",
    "data:text/plain,x",
    "unix:/var/run/docker.sock",
    "javascript:1",
    "nonsense",
    "",
  ])("refuses %s", async (url) => {
    // Each is a host of the function: it is the guard that refuses them.
    const host = URL.parse(url)?.hostname ?? "";
    const allowedHosts = [host, "public.example"];
    expect(outcomeOf(await run(get(url), { allowedHosts }))).toBe("fetch_refused");
  });

  it("refuses hosts that the function does not list, redirects to them, and odd methods", async () => {
    const before = seen.length;
    const codes = [
      get("https://8.8.8.8/"),
      get(`${other.origin}/`),
      `await context.fetch("${server.origin}/", { method: "CONNECT" });`,
      `await context.fetch("${server.origin}/", { method: "GET / HTTP/1.1\\r\\nHost: a" });`,
    ];
    for (const code of codes) expect(outcomeOf(await run(code))).toBe("fetch_refused");
    expect(seen.length).toBe(before);
    for (const target of [`${other.origin}/`, "http://169.254.169.254/", "file:///etc/passwd"]) {
      const redirected = get(`${server.origin}/?to=${encodeURIComponent(target)}`);
      expect(outcomeOf(await run(redirected))).toBe("fetch_refused");
    }
    expect(seen.some(({ url }) => url.startsWith("other"))).toBe(false);
  });

  it("connects to what was checked, even if a name changes its mind", async () => {
    const port = server.host.split(":")[1];
    const code = `const texts = [];
      for (const path of ["a", "b"]) {
        const response = await context.fetch("http://fickle.example:${port}/" + path, { headers: { connection: "close" } });
        texts.push(response.status);
      }
      return texts;`;
    expect(outcomeOf(await run(code, { allowedHosts: ["fickle.example"] }))).toBe("[200,200]");
    expect(asked).toBe(1);
  });

  it("gives what a server answers, and sends what the function says", async () => {
    const code = `const response = await context.fetch("${server.origin}/post", {
        method: "post", headers: { "x-own": "1", host: "bank.example" }, body: new TextEncoderLess([104, 105]) });
      const { body, headers } = await response.json();
      return [response.ok, response.status, body, headers["x-own"], headers.host, response.headers.get("X-Echo")];`;
    const ran = await run(code.replace("new TextEncoderLess(", "new Uint8Array("));
    expect(outcomeOf(ran)).toBe(JSON.stringify([true, 200, "hi", "1", server.host, ""]));
  });

  it("puts secrets into headers outside, and hides them in what comes back", async () => {
    const secrets = [{ name: "TOKEN", value: "a-secret-of-headers", readable: false }];
    const code = `const response = await context.fetch("${server.origin}/secret", { headers: { authorization: "Bearer {{secrets.TOKEN}}" } });
      const text = await response.text();
      context.log("info", text);
      return [response.headers.get("x-echo"), text.includes("a-secret"), text.length];`;
    const ran = await run(code, { secrets });
    expect(seen.at(-1)?.headers.authorization).toBe("Bearer a-secret-of-headers");
    expect(JSON.stringify(ran.events)).not.toContain("a-secret-of-headers");
    expect(outcomeOf(ran)).toContain('["Bearer [hidden]",false,');
    // Not in URLs, and not in bodies: they are sent as they are.
    await run(
      `await context.fetch("${server.origin}/{{secrets.TOKEN}}", { method: "POST", body: "{{secrets.TOKEN}}" });`,
      { secrets },
    );
    expect(seen.at(-1)).toMatchObject({ body: "{{secrets.TOKEN}}" });
    expect(seen.at(-1)?.url).not.toContain("a-secret");
  });

  it("leaves secrets behind if a redirect leads to another host, in whatever header", async () => {
    const secrets = [{ name: "TOKEN", value: "a-secret-of-headers", readable: false }];
    const carriers = ["user-agent", "accept", "Accept-Language", "content-type", "authorization"];
    const headers = Object.fromEntries(carriers.map((name) => [name, "{{secrets.TOKEN}}"]));
    const allowedHosts = [server.host, other.host];
    const redirect = async (to: string, given: object) => {
      const url = `${server.origin}/?to=${encodeURIComponent(to)}`;
      const call = `${JSON.stringify(url)}, { headers: ${JSON.stringify(given)} }`;
      const code = `return (await context.fetch(${call})).status;`;
      expect(outcomeOf(await run(code, { secrets, allowedHosts }))).toBe("200");
      return seen.slice(-2).map((request) => request.headers);
    };
    const [first, second] = await redirect(`${other.origin}/`, headers);
    expect(first?.["user-agent"]).toBe("a-secret-of-headers");
    expect(JSON.stringify(second)).not.toContain("a-secret");
    const plain = await redirect(`${other.origin}/`, { "user-agent": "mine" });
    expect(plain[1]?.["user-agent"]).toBe("mine");
    const [, within] = await redirect(`${server.origin}/again`, headers);
    expect(within?.["user-agent"]).toBe("a-secret-of-headers");
  });

  it("hides secrets in an answer that repeats them as JSON, in a URL and in base64", async () => {
    const value = 'a"secret\\of/headers';
    const secrets = [{ name: "TOKEN", value, readable: false }];
    const code = `const response = await context.fetch("${server.origin}/echo", { headers: { authorization: "Basic {{secrets.TOKEN}}" } });
      const text = await response.text();
      const { headers } = JSON.parse(text);
      return [text, headers.authorization];`;
    const ran = await run(code, { secrets });
    expect(seen.at(-1)?.headers.authorization).toBe(`Basic ${value}`);
    expect(outcomeOf(ran)).toContain('"Basic [hidden]"');
    expect(JSON.stringify(ran.events)).not.toContain("of/headers");
  });

  it.each([
    ["requests", "for (let i = 0; i < 6; i++) await context.fetch(URL);", "fetches_exceeded"],
    [
      "requests at once",
      "await Promise.all(Array.from({ length: 9 }, () => context.fetch(URL)));",
      "fetches_exceeded",
    ],
    ["caught requests", "for (;;) try { await context.fetch(URL); } catch {}", "fetches_exceeded"],
    ["what is received", "return (await context.fetch(URL + 'large')).text();", "fetch_too_large"],
    [
      "what is sent",
      "await context.fetch(URL, { method: 'POST', body: 'x'.repeat(100_001) });",
      "fetch_too_large",
    ],
    ["a wait for an answer", "return (await context.fetch(URL + 'silent')).text();", "timed_out"],
  ])("bounds %s", async (_name, code, ends) => {
    const limits = { ...testLimits, timeoutMs: ends === "timed_out" ? 300 : 10_000 };
    const named = code.replaceAll("URL", JSON.stringify(`${server.origin}/`));
    expect(outcomeOf(await run(named, { limits }))).toBe(ends);
  });
});
