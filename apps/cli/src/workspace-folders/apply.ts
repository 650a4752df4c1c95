import path from "node:path";
import { CommandError } from "@parley/command/command-error";
import type { Io } from "@parley/command/io";
import { printLine, reportLine } from "@parley/command/print";
import { showProgress } from "@parley/command/progress";
import { errorTypeOf } from "../connection/call-server.ts";
import { connect, type ServerConnection } from "../connection/connect.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { secretsOfProgram } from "../functions/function-members.ts";
import { confirm } from "../terminal/confirm.ts";
import { faultOfName, withIds } from "./agent-knowledge.ts";
import { readWorkspaceFolder } from "./folder.ts";
import type { Applying, KindName } from "./kind.ts";
import { declaredNames, type DeclaredWorkspace, kindNames, type WorkspaceState } from "./kinds.ts";
import { makePlan, type Planning } from "./plan.ts";
import { openSecrets, type SecretSource } from "./secrets.ts";
import { isChange, nameStep, renderPlan, type Step } from "./steps.ts";
import { readWorkspace } from "./workspace.ts";
import { type Fault, refuseFaults } from "./yaml-file.ts";
import type { Context } from "../connection/context.ts";

/** Others may change the workspace at the same time: what they did is read, and a new plan is made. */
const MAX_PLANS = 3;
const overtaken: readonly unknown[] = ["version_conflict", "sandbox_function_already_exists"];

/** What a person or a pipeline asks for. */
interface ApplyOptions extends ServerOptions {
  readonly dryRun?: true;
  readonly check?: true;
  readonly prune?: true;
  readonly renewSecrets?: true;
  readonly secrets?: string;
  readonly yes?: true;
  readonly test: boolean;
}

/** Makes a workspace what its folder declares, after it has shown what it will change. */
export async function applyFolder(
  context: Context,
  folder: string,
  options: ApplyOptions,
): Promise<void> {
  const { io } = context;
  const declared = await readWorkspaceFolder(folder);
  const secrets = await openSecrets(io, options.secrets);
  const connection = await connect(context, options);
  const tested = new Set<string>();
  for (let attempt = 1; ; attempt++) {
    const { steps, state } = await plan({ folder, declared, connection, options });
    const changes = steps.filter(isChange);
    const isMade = changes.length > 0 && !options.dryRun && !options.check;
    if (!options.json) for (const line of renderPlan(io, steps)) printLine(io, line);
    else if (isMade && !options.yes) for (const line of renderPlan(io, steps)) reportLine(io, line);
    if (isMade) {
      if (options.test) await testFunctions(context, changes, { folder, declared, tested });
      await agree(io, changes, { secrets, state, options });
      const isOvertaken = await run(io, changes, {
        connection,
        ids: idsOf(state),
        secrets,
        afterAll: [],
      });
      if (isOvertaken && attempt < MAX_PLANS) continue;
      if (isOvertaken)
        throw new CommandError("The workspace kept changing while the plan was applied. Try again");
    }
    const unset = findUnsetSecrets(declared, state);
    if (options.json) printLine(io, JSON.stringify(report(steps, { state, isMade, unset })));
    else if (changes.length === 0) printLine(io, "Nothing to change");
    else if (isMade) printLine(io, `Done: ${changes.length} changed`);
    for (const name of unset)
      reportLine(io, `${name} is not set: run parley functions secret put ${name}`);
    if (options.check && changes.length > 0) {
      throw new CommandError(
        `The workspace differs from ${folder}; apply the changes with parley apply`,
      );
    }
    return;
  }
}

interface Planned {
  readonly folder: string;
  readonly declared: DeclaredWorkspace;
  readonly connection: ServerConnection;
  readonly options: ApplyOptions;
}

/** Reads the workspace and makes the plan. Throws `CommandError`, which names what cannot be done. */
async function plan({ folder, declared, connection, options }: Planned) {
  const { things } = declared;
  const names = new Map(kindNames.map((kind) => [kind, declaredNames(kind, things[kind])]));
  const state = await readWorkspace(connection, (kind, { name }) => {
    return names.get(kind)?.has(name) ?? false;
  });
  const { prune = false, renewSecrets = false } = options;
  const faults: Fault[] = [];
  const identified = { ...declared, things: withDataSourceIds(things, { state, faults }) };
  const planning: Planning = { declared: identified, state, prune, renewSecrets, faults };
  const steps = makePlan(planning);
  if (planning.faults.length > 0) throw refuseFaults(folder, planning.faults);
  return { steps, state };
}

/** What a folder declares, with the ids of the data sources that its agents name; adds faults for those that are not there. */
function withDataSourceIds(
  things: DeclaredWorkspace["things"],
  { state, faults }: { readonly state: WorkspaceState; readonly faults: Fault[] },
): DeclaredWorkspace["things"] {
  const agent = things.agent.map(({ file, definition }) => {
    const knowledge = withIds(definition.knowledge, (name) => {
      const found = state.dataSources.filter((one) => one.name === name);
      if (found.length === 1) return found[0]?.id;
      faults.push({ file, message: `knowledge: ${faultOfName(name, found)}` });
      return undefined;
    });
    return { file, definition: { ...definition, knowledge } };
  });
  return { ...things, agent };
}

/** Runs the cases of the functions that a plan changes, once each. Throws `CommandError` if one fails. */
async function testFunctions(
  context: Context,
  changes: readonly Step[],
  given: {
    readonly folder: string;
    readonly declared: DeclaredWorkspace;
    /** Names of functions whose cases passed; it is added to. */
    readonly tested: Set<string>;
  },
): Promise<void> {
  const { folder, declared, tested } = given;
  const changed = new Set(
    changes.filter(({ kind }) => kind === "function").map(({ name }) => name),
  );
  const folders = declared.things.function
    .filter(({ definition: { slug } }) => changed.has(slug) && !tested.has(slug))
    .map(({ file, definition }) => ({
      place: path.join(folder, file),
      folder: definition,
      prefix: `${file}/`,
    }));
  if (folders.length === 0) return;
  const { testFolders } = await import("../functions/test-function.ts");
  await testFolders(context, folders, "nothing was applied; --no-test applies it anyway");
  for (const name of changed) tested.add(name);
}

interface Agreement {
  readonly secrets: SecretSource;
  readonly state: WorkspaceState;
  readonly options: ApplyOptions;
}

/** Returns if a person, or `--yes`, agrees to the changes. */
async function agree(
  io: Io,
  changes: readonly Step[],
  { secrets, state, options: { yes } }: Agreement,
): Promise<void> {
  const removed = changes.filter(({ action }) => action === "remove").length;
  const removes = removed === 0 ? "" : ` (${removed} of them removals)`;
  const count = changes.length === 1 ? "1 change" : `${changes.length} changes`;
  const what = `make ${count}${removes} in the workspace ${state.name}`;
  await confirm(io, { what, typed: removed === 0 ? "yes" : state.name, yes });
  await secrets.require(changes.flatMap((change) => change.secrets));
}

const idsOf = ({ listed, spaces }: WorkspaceState): Applying["ids"] => {
  const active = (kind: KindName) =>
    // The archived first, so that one that is not has the name.
    new Map(
      listed[kind]
        .toSorted((one, other) => Number(other.isArchived) - Number(one.isArchived))
        .map(({ name, id }) => [name, id]),
    );
  return {
    tool: active("tool"),
    skill: active("skill"),
    function: active("function"),
    agent: active("agent"),
    schedule: active("schedule"),
    trigger: active("trigger"),
    webhook: active("webhook"),
    alert: active("alert"),
    "trace destination": active("trace destination"),
    // The open space has no name in folders.
    space: new Map(
      spaces.flatMap(
        ({ name, id, isOpen }) =>
          [[name, id], ...(isOpen ? [["", id] as const] : [])] as [string, string][],
      ),
    ),
  };
};

/** Makes the changes, in order. Returns whether others were faster; throws `CommandError` if one fails. */
async function run(io: Io, changes: readonly Step[], applying: Applying): Promise<boolean> {
  const progress = showProgress(io, "applying", { total: changes.length, unit: "changes" });
  const done: Step[] = [];
  let finishing = "";
  const runAll = async (): Promise<void> => {
    for (const change of changes) {
      await change.run?.(applying);
      done.push(change);
      progress.advance(1);
    }
    for (const { of, run: finish } of applying.afterAll) {
      finishing = of;
      await finish();
    }
  };
  try {
    await runAll().finally(progress.stop);
    return false;
  } catch (error) {
    const failed = changes[done.length];
    const what = failed === undefined ? finishing : nameStep(failed);
    if (overtaken.includes(errorTypeOf(error))) {
      reportLine(io, `${what} has just been changed by somebody else; here is a new plan`);
      return true;
    }
    if (!(error instanceof CommandError)) throw error;
    for (const one of done) reportLine(io, `done: ${nameStep(one)}`);
    for (const one of changes.slice(done.length)) reportLine(io, `not done: ${nameStep(one)}`);
    const made = `${done.length} of ${changes.length} changes were made; run the command again for the rest`;
    throw new CommandError(`${what}: ${error.message}: ${made}`, { cause: error.cause });
  }
}

function findUnsetSecrets({ things }: DeclaredWorkspace, { secretNames }: WorkspaceState) {
  const programs = things.function.map(({ definition }) => definition.definition.program);
  const named = programs.flatMap(secretsOfProgram);
  return [...new Set(named)].filter((name) => !secretNames.has(name)).toSorted();
}

interface Outcome {
  readonly state: WorkspaceState;
  readonly isMade: boolean;
  readonly unset: readonly string[];
}

const report = (steps: readonly Step[], { state, isMade, unset }: Outcome) => ({
  workspaceId: state.wId,
  /** How many things differ, or did before they were changed. */
  changes: steps.filter(isChange).length,
  isApplied: isMade,
  steps: steps.map(({ kind, name, action, members, secrets }) => {
    return { kind, name, action, members: members.map((member) => member.name), secrets };
  }),
  unsetFunctionSecrets: unset,
});
