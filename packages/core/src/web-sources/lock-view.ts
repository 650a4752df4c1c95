import { dataSourceViews, type Queryable } from "@parley/db";
import { eq } from "drizzle-orm";
import { holdWorkspace, type ViewRow } from "../knowledge/data-sources.ts";
import type { WebSourceRow } from "./web-source-rows.ts";

/** The data source of a web source, locked; its workspace is not deleted meanwhile. */
export async function lockView(db: Queryable, source: WebSourceRow): Promise<ViewRow> {
  await holdWorkspace(db, source.workspaceId);
  const ofSource = eq(dataSourceViews.id, source.viewId);
  const [view] = await db.select().from(dataSourceViews).where(ofSource).for("update");
  if (view === undefined) throw new Error("The data source was deleted, and not its web source");
  return view;
}
