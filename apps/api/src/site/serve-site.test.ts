import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import fastify from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { registerSite } from "./serve-site.ts";

const files = {
  "index.html": '<a href="/__parley__/docs/models/">Guide</a>',
  "404.html": "<h1>Page not found</h1>",
  "models/index.html": "<h1>Guide</h1>",
  "models.md": "# Guide",
};

async function open(publicUrl = "https://example.com/parley") {
  const folder = await mkdtemp(path.join(os.tmpdir(), "parley-site-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const app = fastify();
  registerSite(app, { publicUrl }, [folder]);
  onTestFinished(() => app.close());
  const build = async () => {
    await mkdir(path.join(folder, "models"));
    await writeFile(path.join(folder, "picture.webp"), "picture");
    for (const [name, text] of Object.entries(files).toReversed()) {
      await writeFile(path.join(folder, `${name}.gz`), gzipSync(text));
    }
  };
  const get = (url: string, headers: Record<string, string> = {}) =>
    app.inject({ url, headers: { accept: "text/html", ...headers } });
  return { build, get };
}

const textOf = ({ rawPayload }: { rawPayload: Buffer }) => gunzipSync(rawPayload).toString();

test("says what to do until it is built, and serves it without a restart", async () => {
  const { build, get } = await open();
  const before = await get("/docs/");
  expect([before.statusCode, before.body]).toEqual([503, expect.stringContaining("not built")]);
  expect(before.body).toContain('<a href="api">reference</a>');
  await build();
  expect((await get("/docs/")).statusCode).toBe(200);
});

test("has the path below which browsers find the server", async () => {
  const { build, get } = await open();
  await build();
  const page = await get("/docs/");
  expect(textOf(page)).toBe('<a href="/parley/docs/models/">Guide</a>');
  expect(page.headers["content-security-policy"]).not.toContain("unsafe-inline");
  const again = await get("/docs/", { "if-none-match": String(page.headers.etag) });
  expect([again.statusCode, again.body]).toEqual([304, ""]);
  const root = await open("https://example.com");
  await root.build();
  expect(textOf(await root.get("/docs/"))).toBe('<a href="/docs/models/">Guide</a>');
});

test("leads to pages by paths with and without a slash, and has each page as Markdown", async () => {
  const { build, get } = await open();
  await build();
  const locationOf = async (url: string) => {
    const { statusCode, headers } = await get(url);
    return [statusCode, new URL(String(headers.location), `https://example.com${url}`).pathname];
  };
  expect(await locationOf("/docs")).toEqual([308, "/docs/"]);
  expect(await locationOf("/docs/models")).toEqual([308, "/docs/models/"]);
  expect(await locationOf("/docs/api/")).toEqual([308, "/docs/api"]);
  const markdown = await get("/docs/models.md");
  expect([markdown.headers["content-type"], textOf(markdown)]).toEqual([
    "text/markdown; charset=utf-8",
    "# Guide",
  ]);
  expect((await get("/docs/picture.webp")).body).toBe("picture");
});

test("has a page for paths that there are not, and an error for programs", async () => {
  const { build, get } = await open();
  await build();
  for (const url of [
    "/docs/nothing",
    "/docs/../models.md/",
    "/docs/%2e%2e%2fpackage.json",
    "/docs/models.md/x",
  ]) {
    const page = await get(url);
    expect(page.statusCode).toBe(404);
  }
  expect(textOf(await get("/docs/nothing"))).toBe("<h1>Page not found</h1>");
  const forPrograms = await get("/docs/nothing", { accept: "application/json" });
  expect([forPrograms.statusCode, forPrograms.body]).toEqual([
    404,
    expect.stringContaining("No such route"),
  ]);
});
