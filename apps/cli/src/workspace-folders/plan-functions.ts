import { callServer } from "../connection/call-server.ts";
import { describeCodeFaults } from "../functions/code-faults.ts";
import { membersOfFunction } from "../functions/function-members.ts";
import type { FunctionFolder } from "../functions/read-function-folder.ts";
import { type Applying, differencesOf, type Step } from "./plan.ts";
import { findNamed, type Planning } from "./planning.ts";
import type { Declared } from "./read-workspace-folder.ts";
import { diffFiles, diffValues } from "./text-diff.ts";

/** Plans the functions of the folder. */
export const planFunctions = (planning: Planning): Step[] =>
  planning.declared.functions.flatMap((one) => planFunction(planning, one));

function planFunction(planning: Planning, { file, ...folder }: Declared<FunctionFolder>): Step[] {
  const { slug, definition, files } = folder;
  const before = findNamed(planning, "function", {
    file,
    name: slug,
    read: planning.state.functions,
  });
  if (before === "fault") return [];
  const step = { kind: "function", name: slug, secrets: [] } as const;
  const explain = async <T>(call: Promise<T>): Promise<T> =>
    callServer(call).catch((error: unknown) => {
      throw describeCodeFaults(error, files) ?? error;
    });
  if (before === undefined) {
    const run = async ({ connection: { rpc, wId }, ids }: Applying) => {
      const creating = rpc.sandboxFunctions.create.mutate({ wId, slug, ...definition });
      const { sandboxFunction } = await explain(creating);
      ids.function.set(slug, sandboxFunction.sId);
    };
    return [{ ...step, action: "create", members: [], run }];
  }
  const [one, other] = [
    membersOfFunction(before.definition.definition),
    membersOfFunction(definition),
  ];
  const members = differencesOf(one, other).map((name) => {
    if (name === "files") {
      return { name, lines: diffFiles(one.files, other.files, (text, next) => text === next) };
    }
    const member = name as keyof typeof one;
    return { name, lines: diffValues(one[member], other[member]) };
  });
  const { id: functionId, version, isArchived } = before;
  if (members.length === 0 && !isArchived) return [{ ...step, action: "unchanged", members }];
  const run = async ({ connection: { rpc, wId } }: Applying) => {
    if (members.length > 0) {
      const change = { wId, functionId, version, ...definition };
      await explain(rpc.sandboxFunctions.update.mutate(change));
    }
    if (isArchived) await callServer(rpc.sandboxFunctions.restore.mutate({ wId, functionId }));
  };
  return [{ ...step, action: isArchived ? "restore" : "update", members, run }];
}
