import {
  CreateSpace,
  type Region,
  type Session,
  UpdateWorkspace,
  type WorkspaceSettings,
} from "@parley/schema";
import { writeYaml } from "@parley/core/skill-folders";
import * as z from "zod";
import { callServer } from "../connection/call-server.ts";
import type { ServerConnection } from "../connection/connect.ts";
import { readPages } from "../connection/read-pages.ts";
import type { Applying, ReadSpace } from "./kind.ts";
import { changedMembers, type Step } from "./steps.ts";
import { type Fault, type ReadFile, readYamlFile } from "./yaml-file.ts";

/** Its name in a workspace's folder, which has one. */
export const SETTINGS_FILE = "parley.yaml";

type StoredModel = NonNullable<WorkspaceSettings["embedding"]>;

interface ModelName {
  readonly providerId: string;
  readonly modelId: string;
}

/** Settings of a workspace; those that are undefined are not declared. */
interface SettingsDefinition {
  readonly name?: string | undefined;
  readonly region?: Region | undefined;
  readonly regionalModelsOnly?: boolean | undefined;
  readonly recordsRequests?: boolean | undefined;
  /** Null for none. */
  readonly embedding?: StoredModel | null | undefined;
  /** By provider and id. */
  readonly models?: readonly ModelName[] | undefined;
}

interface SpaceDefinition {
  readonly name: string;
  readonly isRestricted: boolean;
}

/** What `parley.yaml` declares. */
export interface DeclaredSettings {
  readonly settings: SettingsDefinition;
  readonly spaces: readonly SpaceDefinition[];
}

/** What of that a workspace has. */
export interface SettingsState {
  /** Undefined if the key may not read them. */
  readonly settings: SettingsDefinition | undefined;
  /** The name; also if the settings may not be read. */
  readonly name: string;
  readonly spaces: readonly ReadSpace[];
  /** The id of the key, if it is known. */
  readonly keyId: string | undefined;
}

const SettingsFile = z.object({
  workspace: UpdateWorkspace.pick({
    name: true,
    region: true,
    regionalModelsOnly: true,
    recordsRequests: true,
    embedding: true,
    models: true,
  }).optional(),
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

/** Reads `parley.yaml`. */
export function readSettingsFile(text: string): ReadFile<DeclaredSettings> {
  const read = readYamlFile(SettingsFile, { file: SETTINGS_FILE, text });
  if ("faults" in read) return read;
  const { workspace, spaces = [] } = read.value;
  return { value: { settings: { ...workspace, models: sortModels(workspace?.models) }, spaces } };
}

/** Models once each, in one order: theirs says nothing. */
function sortModels(unsorted: readonly ModelName[] | undefined): ModelName[] | undefined {
  const byKey = unsorted?.map(({ providerId, modelId }) => {
    return [JSON.stringify([providerId, modelId]), { providerId, modelId }] as const;
  });
  return byKey && [...new Map(byKey.toSorted(([one], [other]) => (one < other ? -1 : 1))).values()];
}

/** Writes `parley.yaml`. The name of a workspace is its own, and not written. */
export function writeSettingsFile({ settings, spaces }: DeclaredSettings): string {
  const {
    region: where,
    regionalModelsOnly: isRegional,
    recordsRequests: records,
    embedding,
  } = settings;
  const workspace = {
    ...(where !== undefined && { region: where }),
    ...(isRegional !== undefined && { regionalModelsOnly: isRegional }),
    // It is so unless an admin has changed it.
    ...(records === false && { recordsRequests: records }),
    ...(embedding && { embedding: writeEmbedding(embedding) }),
    ...(settings.models !== undefined && { models: settings.models }),
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

/** A model with the dimensions that are asked for, if there are any. */
function writeEmbedding({ dimensions, ...model }: StoredModel): object {
  return dimensions === null ? model : { ...model, dimensions };
}

/** Reads the settings and spaces of a workspace; for builders only the spaces that the key reaches. */
export async function readSettings(
  { rpc, wId }: ServerConnection,
  { role, workspace, keyName }: Session & { readonly workspace: object },
): Promise<SettingsState> {
  if (role !== "admin") {
    const { spaces } = await callServer(rpc.spaces.list.query({ wId }));
    const own = { settings: undefined, name: workspace.name, keyId: undefined };
    return { ...own, spaces: spaces.map(readSpace) };
  }
  const read = await callServer(rpc.workspaces.get.query({ wId }));
  const spaces = await Array.fromAsync(
    readPages(
      async (place) => rpc.spaces.listAll.query({ wId, limit: 100, ...place }),
      (page) => page.spaces,
    ),
  );
  const { apiKeys } = await callServer(rpc.apiKeys.list.query({ wId }));
  const named = apiKeys.filter((key) => key.name === keyName && key.revokedAt === null);
  return {
    settings: {
      name: read.name,
      region: read.region,
      regionalModelsOnly: read.regionalModelsOnly,
      recordsRequests: read.recordsRequests,
      embedding: read.embedding,
      models: sortModels(read.models),
    },
    name: workspace.name,
    spaces: spaces.map(readSpace),
    // Others may have its name.
    keyId: named.length === 1 ? named[0]?.sId : undefined,
  };
}

type ListedSpace = Awaited<
  ReturnType<ServerConnection["rpc"]["spaces"]["list"]["query"]>
>["spaces"][number];

const readSpace = ({ name, sId: id, kind, isRestricted }: ListedSpace): ReadSpace => {
  return { name, id, isOpen: kind === "global", isRestricted };
};

interface PlanningSettings {
  readonly declared: DeclaredSettings;
  readonly state: SettingsState;
  readonly faults: Fault[];
}

/** Plans the settings of the workspace. */
export function planSettings({ declared, state, faults }: PlanningSettings): Step[] {
  const { settings } = declared;
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  if (given.length === 0) return [];
  if (state.settings === undefined) {
    const message = "workspace: needs an admin key; use one, or leave out the settings";
    faults.push({ file: SETTINGS_FILE, message });
    return [];
  }
  const before: Readonly<Record<string, unknown>> = { ...state.settings };
  const after: Readonly<Record<string, unknown>> = Object.fromEntries(given);
  const members = changedMembers(before, after);
  const step = { kind: "workspace", name: state.name, members, secrets: [] } as const;
  if (members.length === 0) return [{ ...step, action: "unchanged" }];
  const run = async ({ connection: { rpc, wId } }: Applying) => {
    const change = { ...settings, models: settings.models && [...settings.models] };
    await callServer(rpc.workspaces.update.mutate({ wId, ...change }));
  };
  return [{ ...step, action: "update", run }];
}

/** Plans the spaces that the folder declares; others are left alone. */
export function planSpaces({ declared, state, faults }: PlanningSettings): Step[] {
  return declared.spaces.flatMap(({ name, isRestricted }): Step[] => {
    const found = state.spaces.filter((space) => space.name === name && !space.isOpen);
    const refuse = (message: string) => {
      faults.push({ file: SETTINGS_FILE, message: `spaces: ${message}` });
      return [];
    };
    if (found.length > 1) return refuse(severalSpaces(name, found));
    const [before] = found;
    const step = { kind: "space", name, secrets: [] } as const;
    if (before?.isRestricted === isRestricted) {
      return [{ ...step, action: "unchanged", members: [] }];
    }
    if (state.settings === undefined) return refuse(`${name}: needs an admin key`);
    if (before === undefined) {
      const run = async ({ connection: { rpc, wId }, ids }: Applying) => {
        // Nobody reaches a restricted space whom it does not name, and its tools come next.
        const keyIds = state.keyId === undefined ? [] : [state.keyId];
        const creating = rpc.spaces.create.mutate({ wId, name, isRestricted, keyIds });
        const { space } = await callServer(creating);
        ids.space.set(name, space.sId);
      };
      return [{ ...step, action: "create", members: [], run }];
    }
    const { id: spaceId } = before;
    const run = async ({ connection: { rpc, wId } }: Applying) => {
      await callServer(rpc.spaces.update.mutate({ wId, spaceId, isRestricted }));
    };
    const { isRestricted: wasRestricted } = before;
    const members = changedMembers({ isRestricted: wasRestricted }, { isRestricted });
    return [{ ...step, action: "update", members, run }];
  });
}

/** Adds a fault if a space is neither declared nor in the workspace. */
export function requireSpaces(
  { declared, state, faults }: PlanningSettings,
  { file, names }: { readonly file: string; readonly names: readonly string[] },
): void {
  for (const name of names) {
    if (declared.spaces.some((space) => space.name === name)) continue;
    const found = state.spaces.filter((space) => space.name === name);
    if (found.length === 1) continue;
    const none = `neither ${SETTINGS_FILE} nor the workspace has the space ${name}`;
    faults.push({ file, message: found.length === 0 ? none : severalSpaces(name, found) });
  }
}

const severalSpaces = (name: string, found: readonly ReadSpace[]): string =>
  `the workspace has several spaces named ${name}: rename all but one of ${found.map(({ id }) => id).join(", ")}`;
