/** What an agent may look up: files name data sources, by their ids too, and the server knows ids. */
import { AgentKnowledge, Reference, text } from "@parley/schema";
import * as z from "zod";

const { everything, dataSourceIds, tags } = AgentKnowledge.shape;
const MAX_NAMED = 50;
const Name = text(255, 1);

const Folder = z
  .strictObject({
    dataSource: Name.optional(),
    dataSourceId: Reference.optional(),
    folderId: Reference,
  })
  .refine((one) => (one.dataSource === undefined) !== (one.dataSourceId === undefined), {
    error: "must have dataSource, the name of a data source, or dataSourceId",
  });

/** `knowledge` in the file of an agent. */
export const FileKnowledge = z
  .strictObject({
    everything,
    dataSources: z.array(Name).max(MAX_NAMED).optional(),
    dataSourceIds,
    folders: z.array(Folder).max(MAX_NAMED).optional(),
    tags,
  })
  .optional();
type FileKnowledge = NonNullable<z.output<typeof FileKnowledge>>;

/** A data source, as folders name it. */
export interface NamedDataSource {
  readonly id: string;
  readonly name: string;
}

const sorted = <T>(items: readonly T[]): T[] =>
  items.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));

/** What is said of it, in one order, so that equal ones are written and compared alike. */
export function knowledgeOf(given: Partial<FileKnowledge>) {
  const folders = given.folders?.map(({ dataSource, dataSourceId, folderId }) => ({
    ...(dataSource !== undefined && { dataSource }),
    ...(dataSourceId !== undefined && { dataSourceId }),
    folderId,
  }));
  return {
    ...(given.everything === true && { everything: true }),
    ...(given.dataSources?.length && { dataSources: sorted(given.dataSources) }),
    ...(given.dataSourceIds?.length && { dataSourceIds: sorted(given.dataSourceIds) }),
    ...(folders?.length && { folders: sorted(folders) }),
    ...(given.tags?.length && { tags: [...given.tags] }),
  };
}

export type DeclaredKnowledge = ReturnType<typeof knowledgeOf>;

/** The same with ids in place of names. `idOf` says what is wrong with a name that is not that of one data source. */
export function withIds(
  { dataSources = [], dataSourceIds: ids = [], folders = [], ...rest }: DeclaredKnowledge,
  idOf: (name: string) => string | undefined,
): DeclaredKnowledge {
  const named = dataSources.flatMap((name) => idOf(name) ?? []);
  return knowledgeOf({
    ...rest,
    dataSourceIds: [...new Set([...ids, ...named])],
    folders: folders.flatMap(({ dataSource, dataSourceId, folderId }) => {
      const id = dataSource === undefined ? dataSourceId : idOf(dataSource);
      return id === undefined ? [] : [{ dataSourceId: id, folderId }];
    }),
  });
}

/** The same with names in place of the ids of data sources whose names tell them apart. */
export function withNames(
  { dataSourceIds: ids = [], folders = [], ...rest }: DeclaredKnowledge,
  known: readonly NamedDataSource[],
): DeclaredKnowledge {
  const nameOf = (id: string | undefined): string | undefined => {
    const name = known.find((one) => one.id === id)?.name;
    return known.filter((one) => one.name === name).length === 1 ? name : undefined;
  };
  return knowledgeOf({
    ...rest,
    dataSources: ids.flatMap((id) => nameOf(id) ?? []),
    dataSourceIds: ids.filter((id) => nameOf(id) === undefined),
    folders: folders.map(({ dataSourceId, folderId }) => {
      const dataSource = nameOf(dataSourceId);
      return dataSource === undefined ? { dataSourceId, folderId } : { dataSource, folderId };
    }),
  });
}

/** What the server is sent, once names are ids. */
export function sentKnowledge({
  folders = [],
  dataSourceIds: ids = [],
  ...rest
}: DeclaredKnowledge) {
  const { dataSources: _names, ...others } = rest;
  return {
    ...others,
    ...(ids.length > 0 && { dataSourceIds: ids }),
    ...(folders.length > 0 && {
      folders: folders.flatMap(({ dataSourceId, folderId }) =>
        dataSourceId === undefined ? [] : [{ dataSourceId, folderId }],
      ),
    }),
  };
}

/** Why a name is not that of one data source. */
export function faultOfName(name: string, found: readonly NamedDataSource[]): string {
  if (found.length === 0) return `the workspace has no data source ${name}`;
  const ids = found.map(({ id }) => id).join(", ");
  return `the workspace has several data sources named ${name}: name one of ${ids} in dataSourceIds`;
}
