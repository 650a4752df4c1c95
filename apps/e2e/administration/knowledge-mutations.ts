import type { Server } from "../server.ts";
import type { createCalls } from "../siblings/calls.ts";
import type { Doable } from "./doable.ts";

type Rpc = Pick<ReturnType<typeof createCalls>, "rpc">;

interface WithView {
  readonly dataSourceView: { readonly sId: string };
}
const viewIn = ({ dataSourceView }: WithView): string => dataSourceView.sId;

const createIn = (server: () => Server, { rpc }: Rpc) => {
  const ofDemo = () => ({ wId: server().demo.workspaceId });
  const view = () => ({ ...ofDemo(), spaceId: server().demo.spaceId, name: "x" });
  const create = async () => viewIn(await rpc().dataSourceViews.create.mutate(view()));
  return { ofDemo, view, create };
};

/** The mutations of data sources, each with what it needs to be done. */
export function describeKnowledgeMutations(
  server: () => Server,
  { rpc }: Rpc,
): Record<string, () => Promise<Doable>> {
  const { ofDemo, view, create } = createIn(server, { rpc });
  return {
    "dataSourceViews.create": async () => ({ input: view(), subject: viewIn }),
    "dataSourceViews.remove": async () => {
      const dataSourceViewId = await create();
      return { input: { ...ofDemo(), dataSourceViewId }, subject: dataSourceViewId };
    },
    "dataSourceNodes.put": async () => {
      const dataSourceViewId = await create();
      const node = { dataSourceViewId, nodeId: "n", nodeType: "document", title: "x" };
      return { input: { ...ofDemo(), ...node }, subject: `${dataSourceViewId}/n` };
    },
    "dataSourceNodes.remove": async () => {
      const dataSourceViewId = await create();
      const input = { ...ofDemo(), dataSourceViewId, nodeId: "n" };
      return { input, subject: `${dataSourceViewId}/n` };
    },
    "dataSourceNodes.divide": async () => {
      const input = { ...ofDemo(), dataSourceViewId: await create(), nodeId: "n" };
      const node = { nodeType: "document", title: "x" } as const;
      await rpc().dataSourceNodes.put.mutate({ ...input, ...node });
      return { input, subject: `${input.dataSourceViewId}/n` };
    },
  };
}

/** The queries of data sources, each with an input that it answers. */
export function describeKnowledgeQueries(
  server: () => Server,
  rpc: Rpc,
): Record<string, () => Promise<Pick<Doable, "input">>> {
  const { ofDemo, create } = createIn(server, rpc);
  return {
    "dataSourceViews.list": async () => ({ input: ofDemo() }),
    "dataSourceNodes.list": async () => ({
      input: { ...ofDemo(), dataSourceViewId: await create(), limit: 2, state: "failed" },
    }),
  };
}
