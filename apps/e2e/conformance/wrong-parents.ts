import type { Server } from "../server.ts";
import type { createCalls } from "../siblings/calls.ts";

/** Moves of documents that are not there: the body names the document too. */
export function wrongParents(
  { rpc }: Pick<ReturnType<typeof createCalls>, "rpc">,
  {
    server,
    call,
  }: {
    readonly server: () => Server;
    readonly call: (name: string, input: object) => Promise<string>;
  },
): Record<string, () => Promise<string>> {
  const move = async (dsId: string) => {
    const { workspaceId: wId } = server().demo;
    const named = { wId, dsId, documentId: "nobody", parents: ["nobody"] };
    return call("documents.setParents", named);
  };
  return {
    "documents.setParents data_source_not_found": async () => move("nobody"),
    "documents.setParents data_source_document_not_found": async () => {
      const { workspaceId: wId, spaceId } = server().demo;
      const view = { wId, spaceId, name: "Parents" };
      const { dataSourceView } = await rpc().dataSourceViews.create.mutate(view);
      return move(dataSourceView.dataSourceId);
    },
  };
}
