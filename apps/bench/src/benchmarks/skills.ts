import { writeFile } from "node:fs/promises";
import path from "node:path";
import type pg from "pg";
import { makeDirectory, startListening } from "../child-process.ts";
import { ownFloor, startFloor } from "../floor.ts";
import { openConnection } from "../load/http-connection.ts";
import { startLoadGenerator } from "../load/load-generator.ts";
import { addressOf, formatGet } from "../load/plan.ts";
import {
  type Measured,
  measureLoads,
  middle,
  type Sample,
  sampleInTurn,
  samplesOf,
  type Subject,
  tabulate,
} from "../measure.ts";
import type { BenchmarkOptions } from "../options.ts";
import { startParley } from "../parley-server.ts";
import { type Findings, type Question, ratio } from "../report.ts";
import { openClient } from "../scratch-database.ts";
import { type ListSize, listSizes, seedSkills, touchSkill } from "../seed/seed-skills.ts";

const WARM_UP_LISTS = 5;
const FIRST_LISTS_PER_ROUND = 5;

/** How a list is asked for, and how much of the floor's time the server may use. */
const kinds = [
  { answer: "200", target: { atMost: 4 } },
  { answer: "gzip", target: undefined },
  { answer: "304", target: { atMost: 6 } },
] as const;
type Kind = (typeof kinds)[number]["answer"];

/** Where a list is asked for. */
interface ListAddress {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** Something that answers with a list that is ready. */
interface Lister extends ListAddress {
  readonly subject: Subject;
}

/** Measures lists that are kept beside a floor that has their bytes, and the first list after a change. */
export async function benchSkills(options: BenchmarkOptions): Promise<Findings> {
  const { postgres, resources, rounds } = options;
  const database = await postgres.createDatabase(resources, "skills");
  const { subject, headers, urlOf } = await startParley(resources, database);
  const client = await openClient(resources, database.url);
  await seedSkills(client);
  const rows = await startFloor(resources, ownFloor("list-rows"), database.url);
  const generator = startLoadGenerator(resources);
  const measured: Measured<Sample>[] = [];
  const firsts: Measured<number>[] = [];
  for (const size of listSizes) {
    const { skills, connections } = size;
    const url = urlOf(`/api/v1/w/{wId}/skills?status=${size.status}`);
    const parley = { subject, url, headers };
    const listers = [parley, await startReady(resources, parley)];
    for (const { answer } of kinds) {
      const planned = listers.map(async (lister) => ({
        labels: { skills, answer, process: lister.subject.name },
        subject: lister.subject,
        generator,
        load: { ...(await planList(lister, answer)), connections },
      }));
      const lanes = await Promise.all(planned);
      measured.push(...(await measureLoads(options, `${skills} skills, ${answer}`, lanes)));
    }
    const floor = { url: new URL(`/${size.status}`, rows.url), headers: {} };
    const lanes = Object.entries({ parley, floor }).map(([process, address]) => ({
      labels: { skills, process },
      take: () => timeFirstList(client, size, address),
    }));
    await sampleInTurn(lanes, WARM_UP_LISTS);
    firsts.push(...(await sampleInTurn(lanes, rounds * FIRST_LISTS_PER_ROUND)));
  }
  const firstMs = (skills: number, process: string) => samplesOf(firsts, { skills, process });
  const firstRows = listSizes.map(({ skills }) => ({
    skills,
    "parley's first list, ms": middle(firstMs(skills, "parley"), (ms) => ms),
    "floor's, ms": middle(firstMs(skills, "floor"), (ms) => ms),
  }));
  const askFirst = ({ skills }: ListSize): Question => ({
    name: `${skills} skills, first list: ms over the floor's`,
    of: firstMs(skills, "parley"),
    over: firstMs(skills, "floor"),
    target: { atMost: 2 },
  });
  return {
    tables: [tabulate(measured, "lists"), firstRows],
    questions: [...askCached(measured), ...listSizes.map(askFirst)],
  };
}

function askCached(measured: readonly Measured<Sample>[]): Question[] {
  return listSizes.flatMap(({ skills }) =>
    kinds.map(({ answer, target }) =>
      ratio(
        `${skills} skills, ${answer}: server µs over the floor's`,
        {
          of: samplesOf(measured, { skills, answer, process: "parley" }),
          over: samplesOf(measured, { skills, answer, process: "floor" }),
        },
        {
          read: ({ cpuMicros }) => cpuMicros.server,
          // Of a long list most of the time is the kernel's.
          target: skills === 20 ? target : undefined,
        },
      ),
    ),
  );
}

/** Starts the floor on the bytes that a lister answers with. */
async function startReady(resources: AsyncDisposableStack, lister: Lister): Promise<Lister> {
  const file = path.join(await makeDirectory(resources), "list.json");
  await writeFile(file, Buffer.from(await (await ask(lister)).arrayBuffer()));
  const { pid, port } = await startListening(resources, {
    name: "The floor",
    argumentsFor: (free) => [ownFloor("ready-bytes"), String(free), file],
  });
  const url = new URL(`http://127.0.0.1:${port}/`);
  return { subject: { name: "floor", pid, backends: async () => [] }, url, headers: {} };
}

async function ask({ url, headers }: ListAddress): Promise<Response> {
  const answer = await fetch(url, { headers });
  if (answer.status !== 200) throw new Error(`Expected 200, got ${answer.status}`);
  return answer;
}

async function planList(lister: ListAddress, kind: Kind) {
  const { url, headers } = lister;
  const answer = await ask(lister);
  await answer.arrayBuffer();
  const headersFor: Readonly<Record<Kind, Readonly<Record<string, string>>>> = {
    "200": {},
    gzip: { "Accept-Encoding": "gzip" },
    "304": { "If-None-Match": answer.headers.get("etag") ?? "" },
  };
  return {
    ...addressOf(url),
    requests: [formatGet(url, { ...headers, ...headersFor[kind] })],
    mustBe: kind === "304" ? 304 : 200,
    mustContain: kind === "200" ? '{"skills":[{' : "",
    staysAwake: true,
  };
}

/** How long a list takes that comes right after a change, from the request to the whole answer. */
async function timeFirstList(
  client: pg.Client,
  size: ListSize,
  { url, headers }: ListAddress,
): Promise<number> {
  await touchSkill(client, size);
  const { host, port } = addressOf(url);
  const connection = await openConnection(host, port);
  try {
    const startedAt = performance.now();
    const { status } = await connection.send(Buffer.from(formatGet(url, headers)));
    const ms = performance.now() - startedAt;
    if (status !== 200) throw new Error(`Expected 200, got ${status}`);
    return ms;
  } finally {
    connection.close();
  }
}
