import type { ModelPair } from "@parley/schema";
import type { AgentRow, WorkspaceRow } from "../data-access/rows.ts";
import { modelKey, requireAgentModels } from "../workspaces/models.ts";

type AgentModels = Pick<AgentRow, "providerId" | "modelId" | "fallbackModels">;

/** What a change names of an agent's models; what it leaves out stays as it is. */
interface NamedModels {
  readonly model?: ModelPair | undefined;
  readonly fallbackModels?: readonly ModelPair[] | undefined;
}

/** Models as they are shown: PostgreSQL does not keep the order of members. */
export function showModels(pairs: readonly ModelPair[]): ModelPair[] {
  return pairs.map(({ providerId, modelId }) => ({ providerId, modelId }));
}

/**
 * The models of a changed agent. A model that becomes the agent's own no longer answers in its place. Throws as
 * `requireAgentModels` does if the change names any.
 */
export function changeModels(
  workspace: WorkspaceRow,
  before: AgentModels,
  { model, fallbackModels }: NamedModels,
): AgentModels {
  const { providerId, modelId } = model ?? before;
  const own = { providerId, modelId };
  const others = before.fallbackModels.filter((pair) => modelKey(pair) !== modelKey(own));
  const after = { ...own, fallbackModels: fallbackModels ? [...fallbackModels] : others };
  if (model !== undefined || fallbackModels !== undefined) {
    requireAgentModels(workspace, own, after.fallbackModels);
  }
  return after;
}
