import type { Server } from "../server.ts";
import type { createCalls } from "../siblings/calls.ts";

/** What a user is refused, who sees shared views and shares none. */
export function wrongSavedViews(
  calls: Pick<ReturnType<typeof createCalls>, "operator">,
  {
    server,
    call,
  }: {
    readonly server: () => Server;
    readonly call: (name: string, input: object, key?: string) => Promise<string>;
  },
): Record<string, () => Promise<string>> {
  let views = 0;
  const share = async () => {
    const { workspaceId: wId } = server().demo;
    const key = { wId, name: "user", role: "user" as const };
    const { secret } = await calls.operator().apiKeys.create.mutate(key);
    const view = { wId, page: "runs" as const, name: `Shared ${++views}`, query: "" };
    const shared = { ...view, isShared: true };
    const { savedView } = await calls.operator().savedViews.create.mutate(shared);
    return { wId, key: secret, shared, named: { wId, savedViewId: savedView.sId, version: 0 } };
  };
  return {
    "savedViews.create app_auth_error": async () => {
      const { shared, key } = await share();
      return call("savedViews.create", shared, key);
    },
    "savedViews.update app_auth_error": async () => {
      const { named, key } = await share();
      return call("savedViews.update", named, key);
    },
    "savedViews.remove app_auth_error": async () => {
      const { named, key } = await share();
      return call("savedViews.remove", named, key);
    },
  };
}
