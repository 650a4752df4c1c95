import {
  type FileKind,
  invalidRequest,
  type ModelPair,
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

/** A pair as workspaces store it. */
export function modelKey({ providerId, modelId }: ModelPair): string {
  return `${providerId}/${modelId}`;
}

/** The models that Parley knows. */
export const models: readonly Model[] = catalogue;

const known = new Map(models.map((model) => [modelKey(model), model]));

/** Provider of self-hosted servers, whose models are not listed. */
const ANY_MODEL_OF = "openai_compatible";

function findModel(pair: ModelPair): Model | undefined {
  if (pair.providerId !== ANY_MODEL_OF) return known.get(modelKey(pair));
  const { providerId, modelId } = pair;
  const regions = ["us", "eu"];
  return { providerId, modelId, regions, reasoningEfforts: [] };
}

/** Whether the catalogue has a model: its id is then one of a bounded number. */
export const isKnownModel = (pair: ModelPair): boolean => known.has(modelKey(pair));

/** Context window of a catalogued model: tokens of prompt and answer together. */
export function contextTokensOf(pair: ModelPair): number | undefined {
  return known.get(modelKey(pair))?.contextTokens;
}

/** The files that a model takes as they are; undefined for those of a server of one's own. */
export function filesTakenBy(pair: ModelPair): readonly TakenFiles[] | undefined {
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
export function pairOf(key: string): ModelPair {
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

/** Throws `model_disabled` when Parley does not know the model; `path` is where a request names it. */
export function requireKnownModel(pair: ModelPair, path?: string): Model {
  const model = findModel(pair);
  if (model !== undefined) return model;
  throw new ParleyError(
    "model_disabled",
    `${describe(pair, path)} is not a model of this server: see parley models list`,
  );
}

/** The model, if the workspace may use it. Throws `model_disabled`; `path` is where a request names it. */
export function requireModel(workspace: WorkspaceRow, pair: ModelPair, path?: string): Model {
  const model = requireKnownModel(pair, path);
  if (!workspace.models.includes(modelKey(pair))) {
    throw new ParleyError(
      "model_disabled",
      `${describe(pair, path)} is not enabled in this workspace. ${howToEnable(modelKey(pair))}`,
    );
  }
  if (!isInRegion(workspace, model)) {
    throw new ParleyError(
      "model_disabled",
      `${describe(pair, path)} is not available in the workspace's region, ${workspace.region}. ` +
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

function describe({ providerId, modelId }: ModelPair, path?: string): string {
  const place = path === undefined ? "" : `${path}: `;
  return `${place}The model ${modelId} of ${providerId}`;
}

/**
 * Checks the models of an agent: its own and, in order, those that answer in its place. Throws `model_disabled` for
 * one that the workspace may not use, and `invalid_request_error` for one that is named twice.
 */
export function requireAgentModels(
  workspace: WorkspaceRow,
  model: ModelPair,
  fallbackModels: readonly ModelPair[],
): void {
  requireModel(workspace, model);
  const seen = [modelKey(model)];
  for (const [index, fallback] of fallbackModels.entries()) {
    const path = `fallbackModels[${index}]`;
    const key = modelKey(fallback);
    if (seen.includes(key)) {
      const message = `${key} is named twice: name each model once, and the agent's own only as model`;
      throw invalidRequest("body", [{ path, message }]);
    }
    seen.push(key);
    requireModel(workspace, fallback, path);
  }
}

/**
 * Checks the selected model or, without a selection, each agent's own. The result is the selection,
 * without an effort that its model does not support. Throws `model_disabled`.
 */
export function requireModels(
  workspace: WorkspaceRow,
  selection: ModelSelection | undefined,
  agents: readonly ModelPair[],
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
  pair: ModelPair,
  effort: ReasoningEffort | null | undefined,
): ReasoningEffort | undefined {
  return effort && findModel(pair)?.reasoningEfforts.includes(effort) ? effort : undefined;
}
