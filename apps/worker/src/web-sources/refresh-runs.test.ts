import { implementations, startRefreshes } from "@parley/core";
import { expireTestLeases, makeTestRefreshDue, readTestRuns } from "@parley/core/testing";
import { describe, expect, it } from "vitest";
import { pageOf, type SitePage } from "../../testing/open-site.ts";
import { webSourceTest } from "../../testing/web-source-test.ts";

const redirectTo =
  (location: string): SitePage =>
  (response) =>
    response.writeHead(302, { location }).end();

describe("a web source", () => {
  const { startWorker, open, create, read, refreshed, documents, pages, core, builder, wId } =
    webSourceTest();

  it("follows redirects on its origin, and none to another or to a private address", async () => {
    const inside = await open({ "/": pageOf("Inside", "Secret") });
    const site = await open({
      "/": pageOf("Home", "Welcome", "/moved", "/away", "/inside", "/loop"),
      "/moved": redirectTo("/new"),
      "/new": pageOf("New", "Here"),
      "/away": redirectTo("https://other.example/"),
      "/inside": redirectTo(`${inside.url}/`),
      "/loop": redirectTo("/loop"),
    });
    const source = await create(`${site.url}/`);
    startWorker();
    expect(await refreshed(source)).toMatchObject({ outcome: "succeeded", read: 2, failed: 2 });
    expect(await documents()).toEqual(["/", "/new"]);
    expect(inside.asked).toEqual([]);
    expect((await pages(source, "failed"))["/inside"]).toContain(`another origin, ${inside.url}`);
  });

  it("requests no private address that the operator does not allow", async () => {
    const site = await open({ "/": pageOf("Inside", "Secret") });
    const source = await create(`${site.url}/`, { kind: "page" });
    startWorker("");
    const last = await refreshed(source);
    expect(last).toMatchObject({ outcome: "failed", read: 0 });
    expect(last?.failure).toMatch(/^robots\.txt cannot be read: .*127\.0\.0\.1/);
    expect(site.asked).toEqual([]);
  });

  it("reads no more pages than it may of links without end", async () => {
    const site = await open({});
    site.otherwise = (path) =>
      path === "/robots.txt" ? undefined : pageOf(path, "Again", `${path}x`, `${path}y`);
    const source = await create(`${site.url}/`, { depth: 10, maxPages: 15 });
    startWorker();
    expect(await refreshed(source)).toMatchObject({ outcome: "succeeded", read: 15 });
    expect(site.asked).toHaveLength(15);
    expect(await documents()).toHaveLength(15);
  });

  it("continues with the next page when its worker is lost, which can then write nothing", async () => {
    const paths = Array.from({ length: 6 }, (_, nth) => `/p${nth}`);
    const held = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const site = await open({
      "/": pageOf("Home", "Welcome", ...paths),
      ...Object.fromEntries(paths.map((path) => [path, pageOf(path, "Text")])),
    });
    let isFirst = true;
    site.pages.set("/p3", (response) => {
      const answer = () => response.writeHead(200, { "content-type": "text/html" }).end("<p>x</p>");
      if (isFirst) void held.promise.then(answer);
      else answer();
      isFirst = false;
      reached.resolve();
    });
    const source = await create(`${site.url}/`);
    startWorker();
    await reached.promise;
    await expireTestLeases(core());
    startWorker();
    expect(await refreshed(source)).toMatchObject({ outcome: "succeeded", read: 7 });
    held.resolve();
    expect(await documents()).toEqual(["/", ...paths]);
    const times = (path: string) => site.asked.filter((one) => one === path).length;
    expect(["/", ...paths].map(times)).toEqual([1, 1, 1, 1, 2, 1, 1]);
    // The documents are being divided meanwhile.
    await expect.poll(() => readTestRuns(core())).toEqual([]);
  });

  it("is cancelled, and then keeps what it has read", async () => {
    const reached = Promise.withResolvers<void>();
    const site = await open({
      "/": pageOf("Home", "Welcome", "/slow"),
      "/slow": () => reached.resolve(),
    });
    const source = await create(`${site.url}/`, { everySeconds: 300 });
    startWorker();
    await reached.promise;
    await implementations["webSources.cancel"](builder(), { wId: wId(), webSourceId: source.sId });
    const cancelled = await read(source);
    expect(cancelled).toMatchObject({
      isRefreshing: false,
      lastRefresh: { outcome: "cancelled", read: 1 },
    });
    expect(cancelled.nextRefreshAt).toBeGreaterThan(Date.now());
    expect(await documents()).toEqual(["/"]);
  });

  it("is read again when its time has come, and once removed takes its documents along", async () => {
    const site = await open({ "/": pageOf("Home", "Welcome") });
    const source = await create(`${site.url}/`, { kind: "page", cron: "0 3 * * *" });
    startWorker();
    await refreshed(source);
    const { nextRefreshAt } = await read(source);
    expect(new Date(nextRefreshAt ?? 0).getUTCHours()).toBe(3);
    expect(await startRefreshes(core())).toBe(0);
    site.pages.set("/", pageOf("Home", "Welcome back"));
    await makeTestRefreshDue(core(), source.sId);
    await expect.poll(() => site.asked.length).toBe(2);
    await refreshed(source);
    const { version } = await read(source);
    const named = { wId: wId(), webSourceId: source.sId, version };
    await implementations["webSources.remove"](builder(), named);
    expect(await documents()).toEqual([]);
    await expect(read(source)).rejects.toThrow("no such web source");
  });
});
