import type { Server } from "../server.ts";
import type { createCalls } from "../siblings/calls.ts";
import type { Doable } from "./doable.ts";

type Rpc = Pick<ReturnType<typeof createCalls>, "rpc">;

interface WithView {
  readonly dataSourceView: { readonly sId: string };
}
const viewIn = ({ dataSourceView }: WithView): string => dataSourceView.sId;

interface WithSource {
  readonly webSource: { readonly sId: string };
}
const sourceIn = ({ webSource }: WithSource): string => webSource.sId;

const createIn = (server: () => Server, { rpc }: Rpc) => {
  const ofDemo = () => ({ wId: server().demo.workspaceId });
  const view = () => ({ ...ofDemo(), spaceId: server().demo.spaceId, name: "x" });
  const create = async () => viewIn(await rpc().dataSourceViews.create.mutate(view()));
  // A workspace has few data sources, and each of them few web sources.
  const site = async () => {
    const { dataSourceViews } = await rpc().dataSourceViews.list.query(ofDemo());
    const name = "sites";
    const found = dataSourceViews.find((one) => one.name === name);
    const dataSourceViewId =
      found?.sId ?? viewIn(await rpc().dataSourceViews.create.mutate({ ...view(), name }));
    const ofView = { ...ofDemo(), dataSourceViewId };
    const { webSources } = await rpc().webSources.list.query(ofView);
    for (const { sId: webSourceId, version } of webSources.slice(5)) {
      await rpc().webSources.remove.mutate({ ...ofDemo(), webSourceId, version });
    }
    return { ...ofView, url: "http://127.0.0.1:9/", kind: "page" } as const;
  };
  const createSite = async () => sourceIn(await rpc().webSources.create.mutate(await site()));
  return { ofDemo, view, create, site, createSite };
};

/** The mutations of data sources, each with what it needs to be done. */
export function describeKnowledgeMutations(
  server: () => Server,
  { rpc }: Rpc,
): Record<string, () => Promise<Doable>> {
  const { ofDemo, view, create, site, createSite } = createIn(server, { rpc });
  const ofSite = (more: object) => async () => {
    const webSourceId = await createSite();
    return { input: { ...ofDemo(), webSourceId, ...more }, subject: webSourceId };
  };
  return {
    "webSources.create": async () => ({ input: await site(), subject: sourceIn }),
    "webSources.update": ofSite({ version: 0, maxPages: 7 }),
    "webSources.remove": ofSite({ version: 0 }),
    "webSources.refresh": ofSite({}),
    "webSources.cancel": ofSite({}),
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
  const { ofDemo, create, createSite } = createIn(server, rpc);
  return {
    "webSources.list": async () => ({ input: { ...ofDemo(), limit: 2 } }),
    "webSources.get": async () => ({ input: { ...ofDemo(), webSourceId: await createSite() } }),
    "webSources.listPages": async () => ({
      input: { ...ofDemo(), webSourceId: await createSite(), state: "failed", limit: 2 },
    }),
    "dataSourceViews.list": async () => ({ input: ofDemo() }),
    "dataSourceNodes.list": async () => ({
      input: { ...ofDemo(), dataSourceViewId: await create(), limit: 2, state: "failed" },
    }),
  };
}
