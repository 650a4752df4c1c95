import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { eventually } from "../../../programs.ts";
import type { Entry } from "../entry.ts";
import type { World } from "../world.ts";

async function createSource({ rpc, wId }: World) {
  const { space } = await rpc.spaces.create.mutate({ wId, name: "Shops" });
  const view = { wId, spaceId: space.sId, name: "Handbook" };
  return (await rpc.dataSourceViews.create.mutate(view)).dataSourceView;
}

const withNode = (nodeType: "document" | "folder") => async (world: World) => {
  const { sId: dataSourceViewId } = await createSource(world);
  const node = { nodeId: "hours", nodeType, title: "Opening hours", content: "We open at nine." };
  await world.rpc.dataSourceNodes.put.mutate({ wId: world.wId, dataSourceViewId, ...node });
};
const withDocument = withNode("document");
/** A document is soon divided by the server, a folder stays as it is. */
const withFolder = withNode("folder");

async function withTable(world: World) {
  const { dataSourceId: dsId } = await createSource(world);
  const csv = "product,price,since\nTea,3.5,2026-01-31\nMilk,1,\n";
  const table = { name: "prices", title: "Prices", timestamp: 1_780_000_000_000, csv };
  await world.rpc.tables.uploadCsv.mutate({ wId: world.wId, dsId, ...table });
}

const page = "http://127.0.0.1:9/help";

/** Makes a web source that cannot be read, and waits until that is known. */
async function withSite(world: World) {
  const { sId: dataSourceViewId } = await createSource(world);
  const site = { wId: world.wId, dataSourceViewId, url: page, kind: "page" } as const;
  const { webSource } = await world.rpc.webSources.create.mutate(site);
  await eventually<true>(async () => {
    const named = { wId: world.wId, webSourceId: webSource.sId };
    const read = await world.rpc.webSources.get.query(named);
    return read.webSource.isRefreshing ? {} : { value: true };
  }, 20_000);
}

/** Commands about knowledge. */
export const knowledgeEntries: readonly Entry[] = [
  {
    command: "knowledge push",
    prepare: async (world) => {
      await mkdir(path.join(world.home, "handbook"));
      const text = "# Hours\n\nWe open at nine.\n";
      await writeFile(path.join(world.home, "handbook/hours.md"), text);
      return { source: (await createSource(world)).dataSourceId };
    },
    args: ({ source = "" }) => ["handbook", "--source", source],
  },
  { command: "knowledge search", args: ["opening hours"] },
  { command: "knowledge status", args: [] },
  { command: "knowledge documents", prepare: withFolder, args: ["Handbook"] },
  { command: "knowledge divide", prepare: withDocument, args: ["Handbook", "hours"] },
  {
    command: "knowledge tables push",
    prepare: async (world) => {
      await writeFile(path.join(world.home, "prices.csv"), "product,price\nTea,3.5\nMilk,1\n");
      await createSource(world);
    },
    args: ["prices.csv", "--source", "Handbook", "--description", "What we sell"],
  },
  { command: "knowledge tables list", prepare: withTable, args: ["Handbook"] },
  { command: "knowledge tables get", prepare: withTable, args: ["Handbook", "prices"] },
  {
    command: "knowledge tables remove",
    prepare: withTable,
    args: ["Handbook", "prices"],
    confirmed: "prices",
  },
  { command: "knowledge sources list", prepare: withSite },
  { command: "knowledge sources get", prepare: withSite, args: [page] },
  {
    command: "knowledge sources create",
    prepare: async (world) => void (await createSource(world)),
    args: [page, "--into", "Handbook", "--kind", "page", "--every-seconds", "86400"],
  },
  { command: "knowledge sources update", prepare: withSite, args: [page, "--cron", "0 3 * * *"] },
  { command: "knowledge sources refresh", prepare: withSite, args: [page] },
  { command: "knowledge sources cancel", prepare: withSite, args: [page] },
  { command: "knowledge sources remove", prepare: withSite, args: [page], confirmed: page },
  { command: "knowledge sources pages", prepare: withSite, args: [page] },
];
