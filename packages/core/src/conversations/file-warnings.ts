import { essenceOf, type Warning } from "@parley/schema";
import { isFragmentOfFile } from "../files/model-files.ts";
import { filesTakenBy } from "../workspaces/models.ts";
import type { ResolvedFragment } from "./content-fragments.ts";
import type { ResolvedMessage } from "./new-messages.ts";

/** Types of files that no text is extracted from. */
const MEDIA = /^(?:image|audio|video)\//;

/**
 * A warning for each file that an agent's model does not take, as far as the type shows. What models of a server of
 * one's own take is only known to the workers: the answer has a note.
 */
export function warnAboutFiles(
  fragments: readonly ResolvedFragment[],
  { agents, modelSelection }: Pick<ResolvedMessage, "agents" | "modelSelection">,
): Warning[] {
  return fragments.flatMap(({ columns: { fragment }, path = "" }) => {
    if (fragment === null || !isFragmentOfFile(fragment)) return [];
    const contentType = essenceOf(fragment.contentType).toLowerCase();
    if (!MEDIA.test(contentType)) return [];
    const kind = contentType.startsWith("image/") ? "image" : "audio";
    const blind = agents.flatMap((agent) => {
      const model = modelSelection ?? agent;
      const takes = filesTakenBy(model)?.some((taken) => taken.kind === kind) ?? true;
      return takes ? [] : [`${agent.name} (${model.modelId})`];
    });
    if (blind.length === 0) return [];
    const message = `Only the title is given to agents whose model does not take files of type ${contentType}: ${blind.join(", ")}`;
    return [{ path, message }];
  });
}
