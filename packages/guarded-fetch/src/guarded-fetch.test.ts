import type { IncomingHttpHeaders } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createGuard } from "./guarded-fetch.ts";
import { startLoopback } from "../testing/loopback.ts";

const limits = { timeoutMs: 5000, maxBytes: 100_000 };

/** What a guarded request comes to. */
async function fetchOnce(url: string, options: Partial<Parameters<typeof createGuard>[0]> = {}) {
  await using session = createGuard({ allowedHosts: [], ...options }).open(limits);
  return await session.fetch(url).then(
    (response) => response.text(),
    (error: unknown) => (error as { code: string }).code,
  );
}

describe("the guarded fetch", () => {
  it.each([
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://017700000001/",
    "https://0x7f.0.0.1/",
    "https://0x7f000001/",
    "https://127.1/",
    "https://１２７.0.0.1/",
    "https://127.0.0.1./",
    "https://0/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[2002:7f00:1::]/",
    "https://[fd00:ec2::254]/",
    "https://169.254.169.254/latest/meta-data",
    "https://localhost/",
    "https://LOCALHOST./",
    "https://a.localhost/",
    "http://8.8.8.8/",
    "http://example.com/",
    "https://user:password@8.8.8.8/",
    "ftp://8.8.8.8/",
    "file:///etc/passwd",
    "data:text/plain,x",
    "nonsense",
  ])("refuses %s without a connection", async (url) => {
    expect(await fetchOnce(url)).toBe("refused_address");
  });

  it.each([
    ["one that is private", ["10.0.0.1"]],
    ["a private one beside a public one", ["8.8.8.8", "127.0.0.1"]],
    ["the metadata of a cloud", ["169.254.169.254"]],
    ["a mapped one", ["::ffff:10.0.0.1"]],
  ])("refuses a name whose address is %s", async (_name, addresses) => {
    const resolve = async () =>
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    expect(await fetchOnce("https://inward.example/", { resolve })).toBe("refused_address");
  });

  it("connects to what it checked, even if the name changes its mind", async () => {
    await using server = await startLoopback((_request, response) => void response.end("fine"));
    const port = server.host.split(":")[1];
    let asked = 0;
    const resolve = async () => [{ address: ++asked === 1 ? "127.0.0.1" : "127.0.0.9", family: 4 }];
    const guard = createGuard({ allowedHosts: ["tools.internal"], resolve });
    await using session = guard.open(limits);
    for (const path of ["a", "b"]) {
      const response = await session.fetch(`http://tools.internal:${port}/${path}`, {
        headers: { connection: "close" },
      });
      expect(await response.text()).toBe("fine");
    }
    expect(asked).toBe(1);
  });

  it("allows private hosts by their port, or with every port", async () => {
    await using server = await startLoopback((_request, response) => void response.end("fine"));
    const url = `${server.origin}/`;
    expect(await fetchOnce(url, { allowedHosts: [server.host] })).toBe("fine");
    expect(await fetchOnce(url, { allowedHosts: ["127.0.0.1"] })).toBe("fine");
    expect(await fetchOnce(url, { allowedHosts: ["127.0.0.1:1"] })).toBe("refused_address");
    expect(await fetchOnce(url, { allowedHosts: ["127.0.0.2", "[::1]:80"] })).toBe(
      "refused_address",
    );
    for (const entry of ["http://a.internal", "a/b", "user@a", "", "a b"]) {
      expect(() => createGuard({ allowedHosts: [entry] })).toThrow("Not a host");
    }
  });

  it("follows redirects of GET, checks each, and leaves credentials behind", async () => {
    const seen: IncomingHttpHeaders[] = [];
    await using other = await startLoopback((request, response) => {
      seen.push(request.headers);
      response.end("other");
    });
    let target = `${other.origin}/`;
    await using server = await startLoopback((_request, response) => {
      response.writeHead(302, { location: target }).end();
    });
    const guard = createGuard({ allowedHosts: [server.host, other.host] });
    await using session = guard.open(limits);
    const get = () =>
      session.fetch(server.origin, {
        headers: { authorization: "Bearer x", "x-api-key": "x", accept: "text/plain" },
      });
    expect(await (await get()).text()).toBe("other");
    expect(seen[0]).not.toHaveProperty("authorization");
    expect(seen[0]).not.toHaveProperty("x-api-key");
    expect(seen[0]).toHaveProperty("accept", "text/plain");

    target = "http://169.254.169.254/";
    await expect(get()).rejects.toMatchObject({ code: "refused_address" });
    target = "https://[::1";
    await expect(get()).rejects.toMatchObject({ code: "refused_address" });
    target = `${server.origin}/`;
    await expect(get()).rejects.toMatchObject({ code: "bad_answer" });

    target = `${other.origin}/`;
    const posted = await session.fetch(server.origin, { method: "POST", body: "{}" });
    expect(posted.status).toBe(302);
    expect(seen).toHaveLength(1);
  });

  it("reads no proxy from the environment, and lets nobody name another host", async () => {
    const seen: IncomingHttpHeaders[] = [];
    await using server = await startLoopback((request, response) => {
      seen.push(request.headers);
      response.end("fine");
    });
    await using session = createGuard({ allowedHosts: [server.host] }).open(limits);
    const headers = { host: "bank.example", "proxy-authorization": "x", "x-own": "kept" };
    await (await session.fetch(server.origin, { headers })).text();
    expect(seen[0]).toMatchObject({ host: server.host, "x-own": "kept" });
    expect(seen[0]).not.toHaveProperty("proxy-authorization");
  });

  it("does not repeat a value of a header that HTTP cannot carry", async () => {
    await using session = createGuard({ allowedHosts: [] }).open(limits);
    const fault = session.fetch("https://8.8.8.8/", { headers: { "x-key": "secret\nx: y" } });
    await expect(fault).rejects.toMatchObject({ code: "rejected" });
    await expect(fault).rejects.not.toThrow("secret");
  });

  it("decodes what is compressed, and counts what was decoded", async () => {
    await using server = await startLoopback((request, response) => {
      const size = Number(request.url?.slice(1));
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("x".repeat(size)));
    });
    await using session = createGuard({ allowedHosts: [server.host] }).open(limits);
    const response = await session.fetch(`${server.origin}/50000`);
    expect(await response.text()).toHaveLength(50_000);
    const larger = await session.fetch(`${server.origin}/50001`);
    await expect(larger.text()).rejects.toMatchObject({ code: "too_large" });
    expect(session.fault).toMatchObject({ code: "too_large" });
    await expect(session.fetch(server.origin)).rejects.toMatchObject({ code: "too_large" });
  });

  it("says when it begins to send, which it does not without a connection", async () => {
    await using server = await startLoopback((_request, response) => void response.end());
    await using session = createGuard({ allowedHosts: ["127.0.0.1"] }).open(limits);
    let sent = 0;
    const onSending = () => void sent++;
    await session.fetch("http://127.0.0.1:1/", { onSending }).catch(() => {});
    expect(sent).toBe(0);
    await session.fetch(server.origin, { onSending });
    expect(sent).toBe(1);
  });
});
