/** Which functions a step is offered: those that come with a skill, from the step after it was loaded. */
import type { StepRequest, ToolDefinition } from "./provider.ts";

/** The tool that loads a skill. */
export const LOAD_SKILL = "skills__load";

/** Registered servers whose tools a step is offered. */
export const MAX_SERVERS = 16;
/** Tools of servers that a step is offered: models choose badly among more. */
export const MAX_SERVER_TOOLS = 128;

/** A function, or a tool of a server, that runs elsewhere. */
export interface OfferedFunction extends ToolDefinition {
  /** Names of the skills with any of which it is offered; undefined if it is offered from the first step on. */
  readonly skills?: readonly string[] | undefined;
  /** The server of a tool; its id is null if it is in a user's client. Undefined for a function. */
  readonly server?: { readonly id: number | null } | undefined;
}

/** What has loaded skills before a step. */
export interface SkillLoads {
  /** Names of the skills that earlier turns have loaded, in order. */
  readonly loadedSkills?: readonly string[] | undefined;
  /** Calls of the turn, in order. */
  readonly finishedCalls: readonly Pick<
    StepRequest["finishedCalls"][number],
    "name" | "params" | "isError" | "citations"
  >[];
}

/**
 * The functions of a step after these loads: first those that are always offered, then those of each loaded skill, in
 * the order of loading, so that the earlier ones stay as they were sent. A skill whose tools would be too many beside
 * them has none.
 */
export function offeredFunctions(
  functions: readonly OfferedFunction[],
  loads: SkillLoads,
): OfferedFunction[] {
  const always = functions.filter(({ skills }) => skills === undefined);
  return namesOf(loads).reduce(
    (offered, name) => withSkill(offered, functions, name) ?? offered,
    always,
  );
}

/** Whether the tools of a skill can be offered beside those that are after these loads. */
export function canOffer(
  functions: readonly OfferedFunction[],
  loads: SkillLoads,
  skill: string,
): boolean {
  return withSkill(offeredFunctions(functions, loads), functions, skill) !== undefined;
}

/** What is offered with a skill's functions after it; undefined if that would be too much. */
function withSkill(
  offered: readonly OfferedFunction[],
  functions: readonly OfferedFunction[],
  name: string,
): OfferedFunction[] | undefined {
  const own = functions.filter(({ skills }) => skills?.includes(name));
  const all = [...new Set([...offered, ...own])];
  if (all.length === offered.length) return all;
  const servers = all.flatMap(({ server }) => server ?? []);
  const registered = new Set(servers.flatMap(({ id }) => id ?? []));
  const fits = servers.length <= MAX_SERVER_TOOLS && registered.size <= MAX_SERVERS;
  return fits ? all : undefined;
}

function namesOf({ loadedSkills = [], finishedCalls }: SkillLoads): string[] {
  return [...loadedSkills, ...skillsLoadedBy(finishedCalls)];
}

/** Names of the skills that calls have loaded, in order. */
export function skillsLoadedBy(calls: SkillLoads["finishedCalls"]): string[] {
  return calls.flatMap(({ name, params, isError }) =>
    name === LOAD_SKILL && isError !== true && typeof params["name"] === "string"
      ? params["name"]
      : [],
  );
}

/** The answer to a call of a function that comes with skills and is not offered; undefined for what no skill has. */
export function refuseWithheld(
  functions: readonly OfferedFunction[],
  called: string,
  loads: SkillLoads,
): string | undefined {
  const { skills = [] } = functions.find(({ name }) => name === called) ?? {};
  const loaded = new Set(namesOf(loads));
  const names = skills.filter((skill) => !loaded.has(skill));
  if (names.length === 0) return skills.length === 0 ? undefined : `${called}: ${tooManyTools}`;
  const name = names.map((skill) => JSON.stringify(skill)).join(" or ");
  return `The tool ${called} comes with the skill ${name}: load it with ${LOAD_SKILL}, then call the tool in a later step`;
}

/** Why the tools of a loaded skill are not offered. */
export const tooManyTools =
  `The tools of this skill cannot be called: with those that you have, they would be more than ${MAX_SERVER_TOOLS} ` +
  `tools, or of more than ${MAX_SERVERS} servers`;
