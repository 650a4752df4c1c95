import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
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
  { command: "knowledge documents", prepare: withFolder, args: ["Handbook"] },
  { command: "knowledge divide", prepare: withDocument, args: ["Handbook", "hours"] },
];
