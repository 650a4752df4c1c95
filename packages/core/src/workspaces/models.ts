import {
  type FileKind,
  type ModelSelection,
  ParleyError,
  type ReasoningEffort,
  type TakenFiles,
} from "@parley/schema";
import type { WorkspaceRow } from "../data-access/rows.ts";
import catalogue from "./models.json" with { type: "json" };
import { takenFiles } from "./taken-files.ts";

/** One model that Parley knows. */
interface Model {
  readonly providerId: string;
  readonly modelId: string;
  /** Regions that the model is available in. */
  readonly regions: readonly string[];
  readonly reasoningEfforts: readonly string[];
  /** Unknown for the models of a self-hosted server. */
  readonly contextTokens?: number;
  /** Kinds of files that it takes as they are; none by default. */
  readonly takes?: readonly string[];
}

interface Pair {
  readonly providerId: string;
  readonly modelId: string;
}

/** A pair as workspaces store it. */
export function modelKey({ providerId, modelId }: Pair): string {
  return `${providerId}/${modelId}`;
}

/** The models that Parley knows. */
export const models: readonly Model[] = catalogue;

const known = new Map(models.map((model) => [modelKey(model), model]));

/** Provider of self-hosted servers, whose models are not listed. */
const ANY_MODEL_OF = "openai_compatible";

function findModel(pair: Pair): Model | undefined {
  if (pair.providerId !== ANY_MODEL_OF) return known.get(modelKey(pair));
  const { providerId, modelId } = pair;
  const regions = ["us", "eu"];
  return { providerId, modelId, regions, reasoningEfforts: [] };
}

/** Context window of a catalogued model: tokens of prompt and answer together. */
export function contextTokensOf(pair: Pair): number | undefined {
  return known.get(modelKey(pair))?.contextTokens;
}

/** The files that a model takes as they are; undefined for those of a server of one's own. */
export function filesTakenBy(pair: Pair): readonly TakenFiles[] | undefined {
  if (pair.providerId === ANY_MODEL_OF) return undefined;
  // The catalogue has no other kinds.
  const kinds = (known.get(modelKey(pair))?.takes ?? []) as readonly FileKind[];
  return takenFiles(pair.providerId, kinds);
}

/** The models of a new workspace: those that need no credential of a provider. */
export const defaultModels: readonly string[] = known
  .values()
  .filter(({ providerId }) => providerId === "simulated" || providerId === "noop")
  .map(modelKey)
  .toArray();

/** A pair out of the form in which workspaces store it. */
export function pairOf(key: string): Pair {
  // The id of a model may contain slashes; that of a provider does not.
  const slash = key.indexOf("/");
  return { providerId: key.slice(0, slash), modelId: key.slice(slash + 1) };
}

/** The models that a workspace has enabled and that Parley knows. */
export function findEnabledModels(workspace: WorkspaceRow): Model[] {
  return workspace.models.flatMap((key) => findModel(pairOf(key)) ?? []);
}

/** Whether a workspace may use a model if it is. */
export function isInRegion(
  workspace: Pick<WorkspaceRow, "regionalModelsOnly" | "region">,
  { regions }: Pick<Model, "regions">,
): boolean {
  return !workspace.regionalModelsOnly || regions.includes(workspace.region);
}

/** Throws `model_disabled` when Parley does not know the model. */
export function requireKnownModel(pair: Pair): Model {
  const model = findModel(pair);
  if (model !== undefined) return model;
  throw new ParleyError(
    "model_disabled",
    `${describe(pair)} is not a model of this server: see parley models list`,
  );
}

/** The model, if the workspace may use it. Throws `model_disabled`. */
export function requireModel(workspace: WorkspaceRow, pair: Pair): Model {
  const model = requireKnownModel(pair);
  if (!workspace.models.includes(modelKey(pair))) {
    throw new ParleyError(
      "model_disabled",
      `${describe(pair)} is not enabled in this workspace. ${howToEnable(modelKey(pair))}`,
    );
  }
  if (!isInRegion(workspace, model)) {
    throw new ParleyError(
      "model_disabled",
      `${describe(pair)} is not available in the workspace's region, ${workspace.region}. ` +
        "An admin can allow others under Settings in the console",
    );
  }
  return model;
}

/** Where an admin enables a model, by default any. Only a name that is one word is part of the command. */
export function howToEnable(key = ""): string {
  const word = /^[\w./:@-]+$/.test(key) ? key : "<provider>/<model>";
  return `An admin can enable it under Settings in the console, or with parley models enable ${word}`;
}

function describe({ providerId, modelId }: Pair): string {
  return `The model ${modelId} of ${providerId}`;
}

/**
 * Checks the selected model or, without a selection, each agent's own. The result is the selection,
 * without an effort that its model does not support. Throws `model_disabled`.
 */
export function requireModels(
  workspace: WorkspaceRow,
  selection: ModelSelection | undefined,
  agents: readonly Pair[],
): ModelSelection | null {
  if (selection === undefined) {
    for (const agent of agents) requireModel(workspace, agent);
    return null;
  }
  requireModel(workspace, selection);
  const { providerId, modelId, reasoningEffort } = selection;
  return { providerId, modelId, reasoningEffort: supportedEffort(selection, reasoningEffort) };
}

/** The effort, if there is one that the model supports. */
export function supportedEffort(
  pair: Pair,
  effort: ReasoningEffort | null | undefined,
): ReasoningEffort | undefined {
  return effort && findModel(pair)?.reasoningEfforts.includes(effort) ? effort : undefined;
}
