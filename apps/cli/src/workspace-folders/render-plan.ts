import { oneLine } from "../plain.ts";
import { cyan, dim, green, red, yellow } from "../terminal/style.ts";
import type { Step } from "./plan.ts";
import type { Io } from "../io.ts";

const marks = { create: "+", update: "~", restore: "^", remove: "-", keep: "?", unchanged: "=" };
const colours = { create: green, update: yellow, restore: cyan, remove: red } as const;

/** The lines that show a plan: what is changed and how, then how much. */
export function renderPlan(io: Io, steps: readonly Step[]): string[] {
  const lines = steps.flatMap((step) => renderStep(io, step));
  return [...lines, countSteps(steps)];
}

/** How many things are created, changed, removed, and left. */
export function countSteps(steps: readonly Step[]): string {
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
