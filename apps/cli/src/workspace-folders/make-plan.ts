import type { Step } from "./plan.ts";
import { planAgents } from "./plan-agents.ts";
import { planFunctions } from "./plan-functions.ts";
import type { Planning } from "./planning.ts";
import { planOthers } from "./plan-prune.ts";
import { planSettings, planSpaces } from "./plan-settings.ts";
import { planSkills } from "./plan-skills.ts";
import { planTools } from "./plan-tools.ts";

/** What makes a workspace what its folder declares, in an order in which each thing finds what it names. */
export const makePlan = (planning: Planning): Step[] => [
  ...planSettings(planning),
  ...planSpaces(planning),
  ...planTools(planning),
  ...planSkills(planning),
  ...planFunctions(planning),
  ...planAgents(planning),
  ...planOthers(planning),
];
