import { CreateSpace, UpdateWorkspace } from "@parley/schema";
import { writeYaml } from "@parley/core/skill-folders";
import * as z from "zod";
import type { ModelName, SettingsDefinition, SpaceDefinition } from "./definitions.ts";
import { type ReadFile, readYamlFile } from "./read-yaml.ts";

/** Its name in a workspace's folder, which has one. */
export const SETTINGS_FILE = "parley.yaml";

const { name, region, regionalModelsOnly, models } = UpdateWorkspace.shape;

const SettingsFile = z.object({
  workspace: z.object({ name, region, regionalModelsOnly, models }).optional(),
  spaces: z
    .array(
      z.object({
        name: CreateSpace.shape.name,
        isRestricted: z.boolean().default(false),
      }),
    )
    .refine((spaces) => new Set(spaces.map((space) => space.name)).size === spaces.length, {
      error: "must name each space once",
    })
    .optional(),
});

/** What `parley.yaml` declares. */
export interface DeclaredSettings {
  readonly settings: SettingsDefinition;
  readonly spaces: readonly SpaceDefinition[];
}

/** Reads `parley.yaml`. */
export function readSettingsFile(text: string): ReadFile<DeclaredSettings> {
  const read = readYamlFile(SettingsFile, { file: SETTINGS_FILE, text });
  if ("faults" in read) return read;
  const { workspace, spaces = [] } = read.value;
  return { value: { settings: { ...workspace, models: sortModels(workspace?.models) }, spaces } };
}

/** Models once each, in one order: theirs says nothing. */
export function sortModels(unsorted: readonly ModelName[] | undefined): ModelName[] | undefined {
  const byKey = unsorted?.map(({ providerId, modelId }) => {
    return [JSON.stringify([providerId, modelId]), { providerId, modelId }] as const;
  });
  return byKey && [...new Map(byKey.toSorted(([one], [other]) => (one < other ? -1 : 1))).values()];
}

/** Writes `parley.yaml`. The name of a workspace is its own, and not written. */
export function writeSettingsFile({ settings, spaces }: DeclaredSettings): string {
  const { region: where, regionalModelsOnly: isRegional, models: enabled } = settings;
  const workspace = {
    ...(where !== undefined && { region: where }),
    ...(isRegional !== undefined && { regionalModelsOnly: isRegional }),
    ...(enabled !== undefined && { models: enabled }),
  };
  return writeYaml({
    workspace,
    ...(spaces.length > 0 && {
      spaces: spaces.map((space) => ({
        name: space.name,
        ...(space.isRestricted && { isRestricted: true }),
      })),
    }),
  });
}
