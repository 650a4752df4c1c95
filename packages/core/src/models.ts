import { type ModelSelection, ParleyError } from "@parley/schema";
import type { AgentRow } from "./rows.ts";

/** Model pairs that a deployment without credentials of providers can run. */
const usable: ReadonlySet<string> = new Set(["simulated/simulated-1", "noop/noop"]);

/**
 * Throws `model_disabled` unless the workspace may use the selected model or, where none is
 * selected, each agent's own.
 */
export function requireModels(
  selection: ModelSelection | undefined,
  agents: readonly AgentRow[],
): void {
  for (const { providerId, modelId } of selection === undefined ? agents : [selection]) {
    if (!usable.has(`${providerId}/${modelId}`)) {
      throw new ParleyError(
        "model_disabled",
        `The model ${modelId} of ${providerId} is not enabled in this workspace`,
      );
    }
  }
}
