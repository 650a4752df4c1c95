import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Entry } from "../entry.ts";

/** Commands about knowledge. */
export const knowledgeEntries: readonly Entry[] = [
  {
    command: "knowledge push",
    prepare: async ({ home, rpc, wId }) => {
      await mkdir(path.join(home, "handbook"));
      await writeFile(path.join(home, "handbook/hours.md"), "# Hours\n\nWe open at nine.\n");
      const { space } = await rpc.spaces.create.mutate({ wId, name: "Shops" });
      const view = { wId, spaceId: space.sId, name: "Handbook" };
      const { dataSourceView } = await rpc.dataSourceViews.create.mutate(view);
      return { source: dataSourceView.dataSourceId };
    },
    args: ({ source = "" }) => ["handbook", "--source", source],
  },
  { command: "knowledge search", args: ["opening hours"] },
  { command: "knowledge status", args: [] },
];
