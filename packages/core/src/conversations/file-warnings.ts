import { essenceOf, type ModelPair, type Warning } from "@parley/schema";
import type { Process } from "../context.ts";
import { findPages } from "../files/file-texts.ts";
import { isFragmentOfFile } from "../files/model-files.ts";
import { filesTakenBy } from "../workspaces/models.ts";
import { beyondLimits, fileKindOf, type MeasuredFile } from "../workspaces/taken-files.ts";
import type { ResolvedFragment } from "./content-fragments.ts";
import type { ResolvedMessage } from "./new-messages.ts";

/**
 * A warning for each file that a model of an agent does not take, as far as its type, bytes, pixels and known pages
 * show. What models of a server of one's own take is only known to the workers: the answer has a note.
 */
export async function warnAboutFiles(
  core: Process,
  fragments: readonly ResolvedFragment[],
  resolved: Pick<ResolvedMessage, "agents" | "modelSelection">,
): Promise<Warning[]> {
  const named = modelsOf(resolved);
  const warnings: Warning[] = [];
  for (const { columns, file, path = "" } of fragments) {
    const { fragment } = columns;
    if (fragment === null || file === undefined || !isFragmentOfFile(fragment)) continue;
    const contentType = essenceOf(fragment.contentType).toLowerCase();
    const kind = fileKindOf(contentType);
    if (kind === undefined) continue;
    const taking = named.flatMap(({ name, pair }) => {
      const takes = filesTakenBy(pair);
      return takes ? [{ name, limits: takes.find((taken) => taken.kind === kind) }] : [];
    });
    const blind = taking.flatMap(({ name, limits }) => (limits === undefined ? name : []));
    if (blind.length > 0 && kind !== "pdf") {
      const message = `Only the title is given to agents whose model does not take files of type ${contentType}: ${blind.join(", ")}`;
      warnings.push({ path, message });
    }
    const wantsPages = taking.some(({ limits }) => typeof limits?.maxPages === "number");
    const pages = wantsPages ? await findPages(core, file) : null;
    const measured: MeasuredFile = { ...file, pages };
    for (const { name, limits } of taking) {
      const beyond = limits && beyondLimits(measured, limits);
      if (beyond === undefined) continue;
      const given = kind === "pdf" ? "text" : "title";
      warnings.push({ path, message: `Only the ${given} is given to ${name}: ${beyond.reason}` });
    }
  }
  return warnings;
}

/** The models that may answer, each with its agent. */
function modelsOf({
  agents,
  modelSelection,
}: Pick<ResolvedMessage, "agents" | "modelSelection">): { name: string; pair: ModelPair }[] {
  return agents.flatMap((agent) => {
    const pairs = modelSelection ? [modelSelection] : [agent, ...agent.fallbackModels];
    return pairs.map((pair) => ({ name: `${agent.name} (${pair.modelId})`, pair }));
  });
}
