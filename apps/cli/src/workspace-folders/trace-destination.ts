import { CreateTraceDestination, type TraceDestination } from "@parley/schema";
import { writeYaml } from "@parley/core/skill-folders";
import * as z from "zod";
import { callServer } from "../connection/call-server.ts";
import type { ServerConnection } from "../connection/connect.ts";
import { readListed } from "../grammar/endpoint-calls.ts";
import {
  type Applying,
  type Entry,
  isDeclaration,
  type Kind,
  type Listed,
  type Read,
} from "./kind.ts";
import { fillHeaders, referenceTo, secretsIn, secretText } from "./secrets.ts";
import { type ReadFile, readYamlFile, stemOf, withoutDefaults, YAML } from "./yaml-file.ts";

const { shape } = CreateTraceDestination;

/** `trace-destinations/<name>.yaml`: where traces are sent. Its headers name secrets. */
const TraceDestinationFile = z.object({
  name: shape.name.optional(),
  url: shape.url,
  encoding: shape.encoding,
  headers: z.record(z.string(), secretText).default({}),
  sendsContent: shape.sendsContent,
  percent: shape.percent,
  slowMs: shape.slowMs,
  isEnabled: shape.isEnabled,
});

export type TraceDestinationDefinition = ReturnType<typeof definitionOf>;

const definitionOf = (value: z.output<typeof TraceDestinationFile>, name: string) => ({
  ...value,
  name: value.name ?? name,
  slowMs: value.slowMs ?? null,
});

const {
  name: _name,
  url: _url,
  ...defaults
} = definitionOf(TraceDestinationFile.parse({ url: "https://x.example" }), "");

async function readEntry({
  file,
  text: read,
}: Entry): Promise<ReadFile<TraceDestinationDefinition>> {
  if (!YAML.test(file)) {
    const message = "is not a trace destination: their files end in .yaml";
    return { faults: [{ file, message }] };
  }
  const found = readYamlFile(TraceDestinationFile, { file, text: await read(file) });
  if ("faults" in found) return found;
  // The server's own rules, with values in place of the secrets.
  const headers = Object.fromEntries(Object.keys(found.value.headers).map((name) => [name, "x"]));
  const issue = shape.headers.safeParse(headers).error?.issues[0];
  if (issue !== undefined) {
    const inner = issue.code === "invalid_key" ? issue.issues[0]?.message : undefined;
    return { faults: [{ file, message: `headers: ${inner ?? issue.message}` }] };
  }
  return { value: definitionOf(found.value, stemOf(file)) };
}

type ListedDestination = Listed & { readonly destination: TraceDestination };

/** The trace destinations of a workspace, for an admin; others see none. */
export async function listTraceDestinations(
  connection: ServerConnection,
  { isAdmin }: { readonly isAdmin: boolean },
): Promise<ListedDestination[]> {
  if (!isAdmin) return [];
  const listed = await callServer(
    Array.fromAsync(readListed(connection, "traceDestinations.list")),
  );
  return listed.map((destination) => {
    const { name, sId: id, version } = destination;
    return { name, id, version, isArchived: false, destination };
  });
}

/** A listed destination as folders declare it: the secrets of its headers are named, because none are readable. */
export function readTraceDestination({
  destination,
  ...named
}: ListedDestination): Read<TraceDestinationDefinition> {
  const { name, url, encoding, headerNames, sendsContent, percent, slowMs, isEnabled } =
    destination;
  const headers = Object.fromEntries(
    headerNames.map((header) => [header, referenceTo(name, header)] as const),
  );
  return {
    ...named,
    version: destination.version,
    definition: { name, url, encoding, headers, sendsContent, percent, slowMs, isEnabled },
  };
}

export const traceDestinationKind: Kind<TraceDestinationDefinition> = {
  folder: "trace-destinations",
  nameOf: ({ name }) => name,
  isTaken: isDeclaration,
  read: readEntry,
  write: ({ name, url, ...others }, stem) => {
    const members = { name, url, ...withoutDefaults(others, defaults) };
    return { files: { [`${stem}.yaml`]: writeYaml(members) } };
  },
  usesOf: () => [],
  findFault: (_after, _before, { isAdmin }) =>
    isAdmin ? undefined : "trace destinations need an admin key",
  compared: (destination) => ({
    ...destination,
    headers: Object.keys(destination.headers).toSorted(),
  }),
  secretsOf: ({ headers }, changed) =>
    changed === undefined || changed.has("url") || changed.has("headers")
      ? Object.values(headers).flatMap(secretsIn)
      : [],
  create: async (applying: Applying, destination) => {
    const { rpc, wId } = applying.connection;
    const headers = fillHeaders(applying.secrets, destination.headers);
    const creating = rpc.traceDestinations.create.mutate({ wId, ...destination, headers });
    return (await callServer(creating)).traceDestination.sId;
  },
  update: async (applying, { before: { id, version }, after, changed }) => {
    const { rpc, wId } = applying.connection;
    const { headers, ...members } = after;
    const isSent = ["url", "headers", "secrets"].some((name) => changed.has(name));
    const updating = rpc.traceDestinations.update.mutate({
      wId,
      traceDestinationId: id,
      version,
      ...members,
      ...(isSent && { headers: fillHeaders(applying.secrets, headers) }),
    });
    await callServer(updating);
  },
  remove: async ({ rpc, wId }, { id: traceDestinationId, version = 0 }) => {
    await callServer(rpc.traceDestinations.remove.mutate({ wId, traceDestinationId, version }));
  },
};
