import { isDeepStrictEqual } from "node:util";
import type { Io } from "@parley/command/io";
import { oneLine } from "@parley/command/print";
import { cyan, dim, green, red, yellow } from "@parley/command/style";
import { structuredPatch } from "diff";
import type { Applying, KindName } from "./kind.ts";

/** A member that is changed, and how. */
export interface ChangedMember {
  readonly name: string;
  /** Lines that begin with `-` or `+`, if those say more than the name. */
  readonly lines: readonly string[];
}

/** What a plan does with one thing. Things that are not in the folder are kept, or removed. */
export interface Step {
  readonly kind: KindName | "workspace" | "space";
  readonly name: string;
  readonly action: "create" | "update" | "restore" | "remove" | "unchanged" | "keep";
  readonly members: readonly ChangedMember[];
  /** Names of the secrets that it needs. */
  readonly secrets: readonly string[];
  /** Makes the change; absent if there is none to make. */
  readonly run?: (applying: Applying) => Promise<void>;
}

/** Whether a step changes the workspace. */
export const isChange = ({ action }: Step): boolean => action !== "unchanged" && action !== "keep";

type Members = Readonly<Record<string, unknown>>;

/** The members of `after` that `before` has otherwise. */
export const changedMembers = (before: Members, after: Members): ChangedMember[] =>
  Object.keys(after)
    .filter((name) => !isDeepStrictEqual(before[name], after[name]))
    .map((name) => {
      const diff = name === "files" ? diffFiles : diffValues;
      return { name, lines: diff(before[name], after[name]) };
    });

const MAX_LINES = 12;

/** The first of many lines. */
const firstOf = (lines: readonly string[], unit: string): readonly string[] =>
  lines.length <= MAX_LINES
    ? lines
    : [...lines.slice(0, MAX_LINES), `… and ${lines.length - MAX_LINES} more ${unit}`];

/** How a value became another: the changed lines of texts, each after `-` or `+`; nothing for what is too long. */
function diffValues(before: unknown, after: unknown): readonly string[] {
  if (typeof before === "string" && typeof after === "string") {
    const { hunks } = structuredPatch("", "", `${before}\n`, `${after}\n`, "", "", { context: 0 });
    const lines = hunks.flatMap((hunk) => hunk.lines).filter((line) => /^[-+]/.test(line));
    return firstOf(lines, "lines");
  }
  const [one, other] = [JSON.stringify(before), JSON.stringify(after)];
  if (one === undefined || other === undefined || one.length + other.length > 400) return [];
  return [`-${one}`, `+${other}`];
}

/** Which files are added, changed and gone. */
function diffFiles(before: unknown, after: unknown): readonly string[] {
  const [one, other] = [before as Members, after as Members];
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])].toSorted();
  const lines = names.flatMap((name) => {
    if (one[name] === undefined) return `+ ${name}`;
    if (other[name] === undefined) return `- ${name}`;
    return isDeepStrictEqual(one[name], other[name]) ? [] : `~ ${name}`;
  });
  return firstOf(lines, "files");
}

const marks = { create: "+", update: "~", restore: "^", remove: "-", keep: "?", unchanged: "=" };
const colours = { create: green, update: yellow, restore: cyan, remove: red } as const;

/** The lines that show a plan: what is changed and how, then how much. */
export function renderPlan(io: Io, steps: readonly Step[]): string[] {
  const lines = steps.flatMap((step) => renderStep(io, step));
  return [...lines, countSteps(steps)];
}

/** How many things are created, changed, removed, and left. */
function countSteps(steps: readonly Step[]): string {
  const count = (...actions: readonly Step["action"][]) =>
    steps.filter(({ action }) => actions.includes(action)).length;
  const counts = [
    `${count("create")} to create`,
    `${count("update", "restore")} to change`,
    `${count("remove")} to remove`,
    `${count("unchanged")} unchanged`,
  ];
  const kept = count("keep");
  if (kept > 0) counts.push(`${kept} not in the folder`);
  return counts.join(", ");
}

/** A thing as messages name it. */
export const nameStep = ({ kind, name }: Pick<Step, "kind" | "name">): string =>
  `${kind} ${oneLine(name)}`;

function renderStep(io: Io, step: Step): string[] {
  const { action, members, secrets } = step;
  if (action === "unchanged") return [];
  const said = `${marks[action]} ${nameStep(step)}`;
  if (action === "keep") return [dim(io, `${said}: is not in the folder`)];
  const names = members.map(({ name }) => name);
  const needs = secrets.length > 0 ? ` (needs ${[...new Set(secrets)].join(", ")})` : "";
  const listed = names.length > 0 ? `: ${names.join(", ")}` : "";
  const paint = colours[action];
  return [
    paint(io, said + listed + needs),
    ...members.flatMap(({ lines }) => lines.map((line) => `    ${paintLine(io, oneLine(line))}`)),
  ];
}

function paintLine(io: Io, line: string): string {
  if (line.startsWith("+")) return green(io, line);
  return line.startsWith("-") ? red(io, line) : line;
}
