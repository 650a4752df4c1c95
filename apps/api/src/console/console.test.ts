import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import Fastify from "fastify";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ConsoleBuild } from "./build-page.ts";
import { registerConsole } from "./console.ts";

let folder: string;
let state: ReturnType<ConsoleBuild["state"]>;
let app: ReturnType<typeof Fastify>;

beforeEach(() => {
  state = "running";
  folder = "";
});
afterEach(async () => {
  await app.close();
  await rm(path.dirname(folder), { recursive: true });
});

/** A server whose console is being built into a folder that is not there yet. */
async function open() {
  folder = path.join(await mkdtemp(path.join(os.tmpdir(), "parley-console-")), "dist");
  app = Fastify();
  registerConsole(app, { folder, state: () => state, startCommand: "pnpm start" });
  app.get("/readyz", () => "ready");
}

async function finish() {
  await mkdir(path.join(folder, "assets"), { recursive: true });
  await writeFile(path.join(folder, "index.html"), "the console");
  await writeFile(path.join(folder, "assets/index-1.js"), "script");
  await writeFile(path.join(folder, "assets/index-1.js.br"), "shorter");
  await writeFile(path.join(path.dirname(folder), "outside.txt"), "a secret");
  state = "done";
}

const get = (url: string, headers: Record<string, string> = { accept: "text/html" }) =>
  app.inject({ url, headers });

describe("the console of a server that builds it", () => {
  it("is a page that says so, and shows the next one by a script that the policy allows", async () => {
    await open();
    for (const url of ["/", "/w/abc/agents?x=1"]) {
      const { statusCode, headers, body } = await get(url);
      expect([statusCode, headers["cache-control"]]).toEqual([503, "no-store"]);
      expect(headers["content-security-policy"]).toContain("script-src 'self';style-src 'self'");
      expect(body).toContain("The console is being built");
      expect(body).not.toMatch(/<script>|<style|style=|onload=/);
    }
    const [, script = ""] = /<script src="([^"]+)"/.exec((await get("/")).body) ?? [];
    const { statusCode, headers } = await get(script, {});
    expect([statusCode, headers["content-type"]]).toEqual([200, "text/javascript; charset=utf-8"]);
  });

  it("leaves the interface alone in the meantime", async () => {
    await open();
    for (const url of ["/api/v1/nothing", "/assets/index-1.js"]) {
      expect((await get(url)).body).not.toContain("The console");
    }
    expect((await get("/nothing", { accept: "application/json" })).statusCode).toBe(404);
    expect((await get("/readyz")).body).toBe("ready");
  });

  it("is there as soon as it is built", async () => {
    await open();
    expect((await get("/")).statusCode).toBe(503);
    await finish();
    for (const url of ["/", "/index.html", "/w/abc/agents"]) {
      const { statusCode, body, headers } = await get(url);
      expect([statusCode, body, headers["cache-control"]]).toEqual([
        200,
        "the console",
        "no-cache",
      ]);
    }
    const { body, headers } = await get("/assets/index-1.js", { "accept-encoding": "br" });
    expect([body, headers["content-encoding"]]).toEqual(["shorter", "br"]);
    expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
    expect((await get("/build-page.js", {})).statusCode).toBe(404);
  });

  it("says how to continue after a build that failed", async () => {
    await open();
    state = "failed";
    const { statusCode, body } = await get("/");
    expect(statusCode).toBe(500);
    expect(body).toContain("could not be built");
    expect(body).toContain("<code>pnpm start</code>");
  });

  it.for([
    "/../outside.txt",
    "/assets/../../outside.txt",
    "/%2e%2e/outside.txt",
    "/assets/..%2f..%2foutside.txt",
    "//outside.txt",
    "/assets",
    "/assets/",
    "/assets/nothing.js",
  ])("gives nothing else: %s", async (url) => {
    await open();
    await finish();
    const { statusCode, body } = await get(url, {});
    expect([statusCode, body.includes("secret")]).toEqual([404, false]);
  });
});
