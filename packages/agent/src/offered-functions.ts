/** Which functions a step is offered: those that come with a skill, from the step after it was loaded. */
import type { PromptMessage } from "./prompt-parts.ts";
import type { StepRequest, ToolDefinition } from "./provider.ts";

/** The tool that loads a skill. */
export const LOAD_SKILL = "skills__load";

/** A function, or a tool of a server, that runs elsewhere. */
export interface OfferedFunction extends ToolDefinition {
  /** Names of the skills with any of which it is offered; undefined if it is offered from the first step on. */
  readonly skills?: readonly string[] | undefined;
}

/**
 * The functions of a step after these calls: first those that are always offered, then those of each loaded skill, in
 * the order of loading, so that the earlier ones stay as they were sent.
 */
export function offeredFunctions(
  functions: readonly OfferedFunction[],
  calls: Pick<StepRequest, "prompt" | "finishedCalls">,
): OfferedFunction[] {
  const always = functions.filter(({ skills }) => skills === undefined);
  const later = loadedSkills(calls).flatMap((name) =>
    functions.filter(({ skills }) => skills?.includes(name)),
  );
  return [...new Set([...always, ...later])];
}

/** Names of the skills that earlier turns, as far as the prompt has them, and finished steps have loaded, in order. */
function loadedSkills({
  prompt,
  finishedCalls,
}: Pick<StepRequest, "prompt" | "finishedCalls">): string[] {
  const finished = finishedCalls.filter(({ isError }) => isError !== true);
  const loading = [...prompt.flatMap(callsOf), ...finished].filter(
    ({ name }) => name === LOAD_SKILL,
  );
  return loading.flatMap(({ params: { name } }) => (typeof name === "string" ? name : []));
}

function callsOf(message: PromptMessage) {
  if (message.role !== "assistant") return [];
  return message.parts.filter((part) => part.type === "call");
}

/** The answer to a call of a function whose skills are not loaded; undefined for what no skill has. */
export function refuseWithheld(
  functions: readonly OfferedFunction[],
  called: string,
): string | undefined {
  const [first, ...others] = functions.find(({ name }) => name === called)?.skills ?? [];
  if (first === undefined) return undefined;
  const name = [first, ...others].map((skill) => JSON.stringify(skill)).join(" or ");
  return `The tool ${called} comes with the skill ${name}: load it with ${LOAD_SKILL}, then call the tool in a later step`;
}
