import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { ownFloor, startFloor } from "../floor.ts";
import { startListening } from "../listening-process.ts";
import { startLoadGenerator } from "../load/load-generator.ts";
import { formatGet } from "../load/plan.ts";
import { measureLanes, type Subject } from "../measure.ts";
import type { BenchmarkOptions } from "../options.ts";
import { startParley } from "../parley-server.ts";
import type { ResultRow } from "../report.ts";
import { openClient } from "../scratch-database.ts";
import { type ListAddress, timeFirstLists } from "../skills/first-list.ts";
import { listSizes, seedSkills } from "../skills/seed-skills.ts";
import { answerSkills, type MeasuredList, renderSkills, type TimedLists } from "./skills-report.ts";

const FIRST_LISTS_PER_ROUND = 5;

/** Something that answers with a list that is ready. */
interface Lister extends ListAddress {
  readonly subject: Subject;
}

/** Measures lists that are kept beside a floor that has their bytes, and the first list after a change. */
export async function benchSkills(options: BenchmarkOptions): Promise<ResultRow[]> {
  const { postgres, resources, rounds, print } = options;
  const database = await postgres.createDatabase(resources, "skills");
  const { pid, demo } = await startParley(resources, database.url);
  const client = await openClient(resources, database.url);
  await seedSkills(client);
  const rows = await startFloor(resources, ownFloor("list-rows"), database.url);
  const generator = startLoadGenerator(resources);
  const headers = { Authorization: `Bearer ${demo.adminKey}` };
  const measured: MeasuredList[] = [];
  const timed: TimedLists[] = [];
  for (const size of listSizes) {
    const query = `/api/v1/w/${demo.workspaceId}/skills?status=${size.status}`;
    const url = new URL(query, demo.url);
    const parley = { subject: { name: "parley", pid, backends: database.backends }, url, headers };
    const listers = [parley, await startReady(resources, parley)];
    for (const kind of ["200", "gzip", "304"] as const) {
      const lanes = await Promise.all(
        listers.map((lister) => planList(lister, { kind, connections: size.connections })),
      );
      const samples = await measureLanes(
        options,
        lanes.map(({ subject, load }) => ({ subject, generator, loadOf: () => load })),
      );
      const { skills } = size;
      for (const [index, { subject }] of lanes.entries()) {
        measured.push({ skills, kind, name: subject.name, samples: samples[index] ?? [] });
      }
      print(`${skills} skills, ${kind}: measured\n`);
    }
    const floor = { url: new URL(`/${size.status}`, rows.url), headers: {} };
    const [ours = [], floors = []] = await timeFirstLists(client, size, {
      addresses: [parley, floor],
      rounds: rounds * FIRST_LISTS_PER_ROUND,
    });
    timed.push({ skills: size.skills, parley: ours, floor: floors });
  }
  const results = answerSkills(measured, timed);
  print(renderSkills(measured, timed, results));
  return results;
}

/** Starts the floor on the bytes that a lister answers with. */
async function startReady(resources: AsyncDisposableStack, lister: Lister): Promise<Lister> {
  const directory = await mkdtemp(path.join(tmpdir(), "parley-bench-"));
  resources.defer(() => rm(directory, { recursive: true, force: true }));
  const file = path.join(directory, "list.json");
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

async function planList(
  lister: Lister,
  { kind, connections }: { kind: MeasuredList["kind"]; connections: number },
) {
  const { url, headers, subject } = lister;
  const answer = await ask(lister);
  await answer.arrayBuffer();
  const headersFor: Readonly<Record<MeasuredList["kind"], Readonly<Record<string, string>>>> = {
    "200": {},
    gzip: { "Accept-Encoding": "gzip" },
    "304": { "If-None-Match": answer.headers.get("etag") ?? "" },
  };
  const load = {
    host: url.hostname,
    port: Number(url.port),
    requests: [formatGet(url, { ...headers, ...headersFor[kind] })],
    mustBe: kind === "304" ? 304 : 200,
    mustContain: kind === "200" ? '{"skills":[{' : "",
    connections,
    staysAwake: true,
  };
  return { subject, load };
}
