import { pathsOf, type Request, send } from "../request.ts";
import type { Server } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";

/** A request to an endpoint that takes a key. */
export interface Sample {
  readonly request: Request;
  /** Status of its answer, if that is not 200. */
  readonly status?: number;
  /** What comes of it when it is sent once more without the key. */
  readonly withoutKey?: "makes another" | "makes nothing" | "fails";
}

/** A request to each endpoint that uploads knowledge. */
export function knowledgeSamples(server: () => Server): Record<string, () => Promise<Sample>> {
  const newSource = async (): Promise<string> => {
    const { workspaceId: wId, spaceId } = server().demo;
    const view = { wId, spaceId, name: "x" };
    const { dataSourceView } = await createCalls(server).rpc().dataSourceViews.create.mutate(view);
    return `${pathsOf(server()).workspace}/data_sources/${dataSourceView.dataSourceId}`;
  };
  const withoutKey = "makes nothing";
  const newTable = async (): Promise<string> => {
    const path = `${await newSource()}/tables`;
    await send(server(), { path, json: { name: "t" } });
    return `${path}/t`;
  };
  return {
    "tables.upsert": async () => ({
      request: { path: `${await newSource()}/tables`, json: { name: "t" } },
      withoutKey,
    }),
    "tables.uploadCsv": async () => ({
      request: { path: `${await newSource()}/tables/csv`, json: { name: "t", csv: "a\n1\n" } },
      withoutKey,
    }),
    "tables.setParents": async () => ({
      request: { path: `${await newTable()}/parents`, json: { parents: ["t", "f"] } },
      withoutKey,
    }),
    "tableRows.upsert": async () => ({
      request: {
        path: `${await newTable()}/rows`,
        json: { rows: [{ row_id: "r", value: { a: 1 } }] },
      },
      withoutKey,
    }),
    "documents.upsert": async () => ({
      request: { path: `${await newSource()}/documents/d`, json: { text: "x" } },
      withoutKey,
    }),
    "documents.setParents": async () => {
      const path = `${await newSource()}/documents/d`;
      await send(server(), { path, json: { text: "x" } });
      return { request: { path: `${path}/parents`, json: { parents: ["d", "f"] } }, withoutKey };
    },
    "folders.upsert": async () => ({
      request: {
        path: `${await newSource()}/folders/f`,
        json: { title: "x", timestamp: 1, mime_type: "x/x" },
      },
      withoutKey,
    }),
  };
}
