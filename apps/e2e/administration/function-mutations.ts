import type { Server } from "../server.ts";
import type { createCalls } from "../siblings/calls.ts";
import type { Doable } from "./doable.ts";

/** The mutations that change sandbox functions, each with what it needs to be done. */
export function describeFunctionMutations(
  server: () => Server,
  rpc: ReturnType<typeof createCalls>["rpc"],
): Record<string, () => Promise<Doable>> {
  const ofDemo = () => ({ wId: server().demo.workspaceId });
  let slugs = 0;
  const newFunction = () => ({ ...ofDemo(), slug: `audited-${++slugs}` });
  const create = async () =>
    (await rpc().sandboxFunctions.create.mutate(newFunction())).sandboxFunction.sId;
  const onFunction =
    (more: object = {}) =>
    async () => {
      const functionId = await create();
      return { input: { ...ofDemo(), functionId, ...more }, subject: functionId };
    };
  return {
    "runs.cancel": async () => {
      const call = { ...ofDemo(), functionId: "add", input: { a: 1, b: 2 } };
      const { invocation } = await rpc().sandboxFunctions.invoke.mutate(call);
      return { input: { ...ofDemo(), runId: invocation.sId }, subject: invocation.sId };
    },
    "sandboxFunctions.create": async () => ({
      input: newFunction(),
      subject: ({ sandboxFunction }: { sandboxFunction: { sId: string } }) => sandboxFunction.sId,
    }),
    "sandboxFunctions.update": onFunction({ version: 1, description: "y" }),
    "sandboxFunctions.archive": onFunction(),
    "sandboxFunctions.restore": async () => {
      const functionId = await create();
      await rpc().sandboxFunctions.archive.mutate({ ...ofDemo(), functionId });
      return { input: { ...ofDemo(), functionId }, subject: functionId };
    },
  };
}
