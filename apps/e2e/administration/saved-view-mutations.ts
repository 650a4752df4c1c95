import type { Server } from "../server.ts";
import type { createCalls } from "../siblings/calls.ts";
import type { Doable } from "./doable.ts";

interface WithView {
  readonly savedView: { readonly sId: string };
}
const viewIn = ({ savedView }: WithView): string => savedView.sId;

/** The mutations of saved views, each with what it needs to be done. */
export function describeSavedViewMutations(
  server: () => Server,
  { rpc }: Pick<ReturnType<typeof createCalls>, "rpc">,
): Record<string, () => Promise<Doable>> {
  let views = 0;
  const newView = () => ({
    wId: server().demo.workspaceId,
    page: "runs" as const,
    name: `View ${++views}`,
    query: "status=errored",
    isShared: true,
  });
  const ofNew = (more: object) => async () => {
    const { wId, ...view } = newView();
    const savedViewId = viewIn(await rpc().savedViews.create.mutate({ wId, ...view }));
    return { input: { wId, savedViewId, version: 0, ...more }, subject: savedViewId };
  };
  return {
    "savedViews.create": async () => ({ input: newView(), subject: viewIn }),
    "savedViews.update": ofNew({ query: "kind=turn" }),
    "savedViews.remove": ofNew({}),
  };
}
