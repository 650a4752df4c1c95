import type { StepPart } from "@parley/agent";

/** Whether readers see a part of a step: then no other model can answer the step. */
export function isPublished(part: StepPart): boolean {
  if (part.type === "text" || part.type === "reasoning") return part.text !== "";
  return part.type === "call";
}
