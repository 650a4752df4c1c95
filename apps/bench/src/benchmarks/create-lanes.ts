import { startFloor } from "../floor.ts";
import { formatPost, type Load } from "../load/plan.ts";
import type { Sample, Subject } from "../measure.ts";
import { startParley } from "../parley-server.ts";
import type { ScratchDatabase } from "../scratch-database.ts";

/** One way to create conversations. */
export interface CreateCase {
  readonly blocking: boolean;
  readonly connections: 1 | 16;
}

/** Something that creates conversations: the server, or a floor of it. */
export interface Creator {
  readonly database: "embedded" | "PostgreSQL";
  readonly subject: Subject;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether its agents answer; a floor's never do. */
  readonly answers: boolean;
}

/** What a row of samples is taken of: a creator, and what it is asked. */
export interface Lane {
  readonly creator: Creator;
  readonly case: CreateCase;
  readonly load: Load;
}

/** A lane with what was measured. */
export interface Measured extends Lane {
  readonly samples: readonly Sample[];
}

/** Starts the server on the database, on an embedded one where none is given. */
export async function startCreator(
  resources: AsyncDisposableStack,
  database?: ScratchDatabase,
): Promise<Creator> {
  const { pid, demo } = await startParley(resources, database?.url);
  return {
    database: database === undefined ? "embedded" : "PostgreSQL",
    subject: { name: "parley", pid, backends: database?.backends ?? (async () => []) },
    url: new URL(`/api/v1/w/${demo.workspaceId}/assistant/conversations`, demo.url),
    headers: { Authorization: `Bearer ${demo.adminKey}` },
    answers: true,
  };
}

/** Starts a floor on the database. */
export async function startFloorCreator(
  resources: AsyncDisposableStack,
  floor: { readonly name: string; readonly file: string },
  database: ScratchDatabase,
): Promise<Creator> {
  const { pid, url } = await startFloor(resources, floor.file, database.url);
  return {
    database: "PostgreSQL",
    subject: { name: floor.name, pid, backends: database.backends },
    url: new URL(url),
    headers: {},
    answers: false,
  };
}

/** Plans a case for a creator; `helper` is the demo's agent that answers at once. */
export function planLane(creator: Creator, ofCase: CreateCase): Lane {
  const { url, headers, answers } = creator;
  const { blocking, connections } = ofCase;
  const body = {
    message: {
      content: "What does a conversation cost?",
      mentions: [{ configurationId: "helper" }],
      context: { username: "bench", timezone: "Europe/Paris" },
    },
    blocking,
  };
  const load = {
    host: url.hostname,
    port: Number(url.port),
    requests: [formatPost(url, headers, body)],
    mustContain: `"status":"${answers && blocking ? "succeeded" : "created"}"`,
    connections,
  };
  return { creator, case: ofCase, load };
}
