import { endpoints, parseInput } from "@parley/schema";
import type { CoreContext } from "../src/create-core.ts";
import { indexMessages } from "../src/search/index-messages.ts";
import { createSavedView } from "../src/search/saved-views.ts";

/** Indexes all messages, and saves a view of the caller. */
export async function insertTestSearch(context: CoreContext): Promise<void> {
  const view = { wId: context.caller.workspace.sid, page: "runs", name: "x", query: "" };
  await createSavedView(context, parseInput(endpoints["savedViews.create"], view));
  while (!(await indexMessages(context)).isAll);
}
