import { expect } from "vitest";
import type { Doable } from "../administration/doable.ts";
import type { createCalls } from "../siblings/calls.ts";

interface Given {
  readonly call: (name: string, input: object) => Promise<string>;
  readonly mutations: Readonly<Record<string, (() => Promise<Doable>) | undefined>>;
}

/** What provokes the errors of workspaces and data sources that are full. */
export const fullDataSources = (
  { operator }: Pick<ReturnType<typeof createCalls>, "operator">,
  { call, mutations }: Given,
): Readonly<Record<string, () => Promise<string>>> => ({
  "dataSourceNodes.put data_source_quota_error": async () => {
    const { input } = await mutations["dataSourceNodes.put"]!();
    const put = (nodeId: string) => call("dataSourceNodes.put", { ...input, nodeId });
    expect([await put("1"), await put("2")]).toEqual(["no error", "no error"]);
    return put("3");
  },
  "webSources.create data_source_quota_error": async () => {
    const { input } = await mutations["webSources.create"]!();
    for (let nth = 0; nth < 10; nth++) await call("webSources.create", input);
    return call("webSources.create", input);
  },
  "dataSourceViews.create data_source_quota_error": async () => {
    const { workspace } = await operator().workspaces.create.mutate({ name: "Full" });
    const wId = workspace.sId;
    const { space } = await operator().spaces.create.mutate({ wId, name: "x" });
    const view = { wId, spaceId: space.sId, name: "x" };
    for (let nth = 0; nth < 20; nth++) await operator().dataSourceViews.create.mutate(view);
    return call("dataSourceViews.create", view);
  },
});
