import { implementations } from "@parley/core";
import {
  clearRuns,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  type TestCore,
} from "@parley/core/testing";
import { endpoints, parseInput, type WebSource } from "@parley/schema";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished } from "vitest";
import { WorkerSettings } from "../src/config.ts";
import { createWorker } from "../src/worker.ts";
import { openSite, type Site, type SitePage } from "./open-site.ts";

/** A data source for each test of a suite, which workers fill from web sites of the test. */
export function webSourceTest() {
  let test: TestCore;
  let builder: Awaited<ReturnType<typeof openTestContext>>;
  let wId: string;
  let dsId: string;
  let dataSourceViewId: string;
  beforeAll(async () => {
    test = await openTestCore({ safetyPollMs: 100 });
  });
  afterAll(() => test.close());
  beforeEach(async () => {
    await clearRuns(test.core);
    const workspace = await insertTestWorkspace(test.core);
    wId = workspace.sid;
    builder = await openTestContext(test.core, workspace, "builder");
    const admin = await openTestContext(test.core, workspace, "admin");
    const given = parseInput(endpoints["spaces.create"], { wId, name: "Open" });
    const { space } = await implementations["spaces.create"](admin, given);
    const view = { wId, spaceId: space.sId, name: "Site" };
    const input = parseInput(endpoints["dataSourceViews.create"], view);
    const { dataSourceView } = await implementations["dataSourceViews.create"](builder, input);
    dsId = dataSourceView.dataSourceId;
    dataSourceViewId = dataSourceView.sId;
  });

  const startWorker = (privateHosts = "127.0.0.1") => {
    const settings = WorkerSettings.parse({ PARLEY_PRIVATE_HOSTS: privateHosts });
    const logger = pino({ level: "silent" });
    const worker = createWorker({ core: test.core, settings, logger, mostPauseMs: 50 });
    worker.start();
    onTestFinished(() => worker.close(0));
    return worker;
  };
  const open = async (pages: Readonly<Record<string, SitePage>>): Promise<Site> => {
    const site = await openSite(pages);
    onTestFinished(() => site[Symbol.asyncDispose]());
    return site;
  };
  const create = async (url: string, settings: object = {}): Promise<WebSource> => {
    const raw = { wId, dataSourceViewId, url, kind: "crawl", ...settings };
    const input = parseInput(endpoints["webSources.create"], raw);
    return (await implementations["webSources.create"](builder, input)).webSource;
  };
  const read = async ({ sId: webSourceId }: WebSource) =>
    (await implementations["webSources.get"](builder, { wId, webSourceId })).webSource;
  const refreshed = async (source: WebSource) => {
    await expect.poll(async () => (await read(source)).isRefreshing).toBe(false);
    return (await read(source)).lastRefresh;
  };
  const refresh = async (source: WebSource) => {
    await implementations["webSources.refresh"](builder, { wId, webSourceId: source.sId });
    return refreshed(source);
  };
  const documents = async () => {
    const input = parseInput(endpoints["documents.list"], { wId, dsId });
    const { documents: listed } = await implementations["documents.list"](builder, input);
    return listed.map(({ source_url }) => new URL(source_url ?? "").pathname).toSorted();
  };
  const pages = async ({ sId: webSourceId }: WebSource, state?: string) => {
    const input = parseInput(endpoints["webSources.listPages"], { wId, webSourceId, state });
    const { webPages } = await implementations["webSources.listPages"](builder, input);
    return Object.fromEntries(webPages.map((page) => [new URL(page.url).pathname, page.reason]));
  };
  return {
    core: () => test.core,
    clock: () => test.clock,
    builder: () => builder,
    wId: () => wId,
    dataSource: () => ({ wId, dsId }),
    view: () => ({ wId, dataSourceViewId }),
    startWorker,
    open,
    create,
    read,
    refreshed,
    refresh,
    documents,
    pages,
  };
}
