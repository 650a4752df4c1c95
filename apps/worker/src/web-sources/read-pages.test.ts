import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { implementations } from "@parley/core";
import { endpoints, parseInput } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { pageOf, tagged } from "../../testing/open-site.ts";
import { webSourceTest } from "../../testing/web-source-test.ts";

describe("the pages of a web source", () => {
  const {
    startWorker,
    open,
    create,
    refreshed,
    refresh,
    documents,
    pages,
    clock,
    builder,
    dataSource,
    view,
  } = webSourceTest();

  it("reads what its page links to, as deep as it may, and says what it could not read", async () => {
    const site = await open({
      "/robots.txt": (response) =>
        response
          .writeHead(200, { "content-type": "text/plain" })
          .end("User-agent: *\nDisallow: /private\n"),
      "/": pageOf(
        "Home",
        "Welcome",
        "/a",
        "/b#part",
        "/private/x",
        "https://other.example/",
        "mailto:x@y",
      ),
      "/a": pageOf("Returns", "Goods are returned in two weeks.", "deep", "/", "/broken", "/file"),
      "/b": `<meta name="robots" content="noindex"><a href="/only-here">x</a>`,
      "/only-here": "<p>Plain</p>",
      "/deep": pageOf("Deep", "Deeper", "/deeper"),
      "/deeper": pageOf("Deeper", "Too deep"),
      "/broken": (response) => response.writeHead(500).end(),
      "/file": (response) => response.writeHead(200, { "content-type": "image/png" }).end("x"),
    });
    const source = await create(`${site.url}/`, { depth: 2, tags: ["help"] });
    expect(source).toMatchObject({ isRefreshing: true, lastRefresh: null, nextRefreshAt: null });
    startWorker();
    expect(await refreshed(source)).toMatchObject({
      outcome: "succeeded",
      failure: null,
      read: 4,
      skipped: 3,
      failed: 1,
      removed: 0,
    });
    expect(await documents()).toEqual(["/", "/a", "/deep", "/only-here"]);
    expect(await pages(source)).toEqual({
      "/": null,
      "/a": null,
      "/b": "The page asks not to be indexed",
      "/private/x": "robots.txt does not allow it",
      "/deep": null,
      "/broken": "The server answered 500",
      "/file": "Its type image/png is not read",
      "/only-here": null,
    });
    expect(Object.keys(await pages(source, "failed"))).toEqual(["/broken"]);
    expect(site.asked).not.toContain("/private/x");
    const named = { ...dataSource(), documentId: `${source.sId}/a` };
    const input = parseInput(endpoints["documents.get"], named);
    const { document } = await implementations["documents.get"](builder(), input);
    expect(document).toMatchObject({
      title: "Returns",
      text: expect.stringMatching(/^# Returns\n\nGoods are returned in two weeks\./) as string,
      tags: ["help"],
      parents: [`${source.sId}/a`, source.sId],
      source_url: `${site.url}/a`,
      mime_type: "text/markdown",
    });
  });

  it("asks only for what has changed, and removes what nothing leads to any longer", async () => {
    const site = await open({
      "/": tagged('"1"', pageOf("Home", "Welcome", "/kept", "/changed", "/gone")),
      "/kept": tagged('"1"', pageOf("Kept", "The same")),
      "/changed": tagged('"1"', pageOf("Changed", "Before", "/linked")),
      "/linked": pageOf("Linked", "Soon without a link"),
      "/gone": pageOf("Gone", "Soon away"),
    });
    const source = await create(`${site.url}/`);
    startWorker();
    expect(await refreshed(source)).toMatchObject({ read: 5 });
    const updatedAt = async () => {
      const input = parseInput(endpoints["dataSourceNodes.list"], view());
      const { nodes } = await implementations["dataSourceNodes.list"](builder(), input);
      return new Map(nodes.map((node) => [node.nodeId.replace(source.sId, ""), node.updatedAt]));
    };
    const before = await updatedAt();
    clock().now += 1000;
    site.pages.set("/changed", tagged('"2"', pageOf("Changed", "After")));
    site.pages.delete("/gone");
    site.asked.length = 0;
    expect(await refresh(source)).toMatchObject({ read: 3, failed: 1, removed: 1 });
    // An answer that the page has not changed leads to what it linked to.
    expect(site.asked.toSorted()).toEqual(["/", "/changed", "/gone", "/kept"]);
    expect(await documents()).toEqual(["/", "/changed", "/kept"]);
    expect(await pages(source, "failed")).toEqual({ "/gone": "The server answered 404" });
    const after = await updatedAt();
    expect(after.get("/kept")).toBe(before.get("/kept"));
    expect(after.get("/changed")).toBeGreaterThan(before.get("/changed")!);
  });

  it("keeps what only a page leads to that cannot be read for now", async () => {
    const site = await open({
      "/": pageOf("Home", "Welcome", "/hub"),
      "/hub": pageOf("Hub", "Links", "/leaf", "/dead"),
      "/leaf": pageOf("Leaf", "A leaf"),
      "/dead": pageOf("Dead", "Soon away"),
    });
    const source = await create(`${site.url}/`);
    startWorker();
    await refreshed(source);
    site.pages.set("/hub", (response) => response.writeHead(503).end());
    site.pages.delete("/dead");
    expect(await refresh(source)).toMatchObject({ outcome: "succeeded", read: 2, failed: 2 });
    expect(await documents()).toEqual(["/", "/hub", "/leaf"]);
    site.pages.set("/", (response) => response.writeHead(503).end());
    const failure = "The server answered 503";
    expect(await refresh(source)).toMatchObject({ outcome: "failed", failure, removed: 0 });
    expect(await documents()).toEqual(["/", "/hub", "/leaf"]);
  });

  it("reads the pages of a sitemap, and of the sitemaps that it names", async () => {
    const site = await open({});
    const listing = (...paths: string[]) =>
      `<urlset>${paths.map((path) => `<url><loc>${site.url}${path}</loc></url>`).join("")}</urlset>`;
    const index = `<sitemapindex><sitemap><loc>${site.url}/more.xml</loc></sitemap></sitemapindex>`;
    site.pages.set("/sitemap.xml", index);
    site.pages.set(
      "/more.xml",
      listing("/a", "/b").replace(
        "</urlset>",
        "<url><loc>http://other.example/</loc></url></urlset>",
      ),
    );
    site.pages.set("/a", pageOf("A", "First", "/linked"));
    site.pages.set("/b", pageOf("B", "Second"));
    const source = await create(`${site.url}/sitemap.xml`, { kind: "sitemap" });
    startWorker();
    expect(await refreshed(source)).toMatchObject({ outcome: "succeeded", read: 2, failed: 0 });
    expect(await documents()).toEqual(["/a", "/b"]);
    site.pages.set("/more.xml", listing("/b"));
    expect(await refresh(source)).toMatchObject({ read: 1, removed: 1 });
    expect(await documents()).toEqual(["/b"]);
  });

  it("unpacks sitemaps that are gzip files, as far as they are no larger than others", async () => {
    const site = await open({});
    const packed = (bytes: Buffer) => (response: ServerResponse) =>
      response.writeHead(200, { "content-type": "application/gzip" }).end(bytes);
    const map = `<urlset><url><loc>${site.url}/a</loc></url></urlset>`;
    site.pages.set("/a", pageOf("A", "First"));
    site.pages.set("/sitemap.xml.gz", packed(gzipSync(map)));
    const source = await create(`${site.url}/sitemap.xml.gz`, { kind: "sitemap" });
    startWorker();
    expect(await refreshed(source)).toMatchObject({ outcome: "succeeded", read: 1, failed: 0 });
    expect(await documents()).toEqual(["/a"]);
    const bomb = gzipSync(map + " ".repeat(11 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(20_000);
    const faults = [
      [bomb, "It is larger than 10485760 bytes once it is unpacked"],
      [gzipSync(map).subarray(0, 20), "It is a gzip file that cannot be unpacked"],
    ] as const;
    for (const [bytes, failure] of faults) {
      site.pages.set("/sitemap.xml.gz", packed(bytes));
      expect(await refresh(source)).toMatchObject({ outcome: "failed", failure });
      expect(await documents()).toEqual(["/a"]);
    }
  });
});
