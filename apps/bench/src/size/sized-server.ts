import type pg from "pg";
import type { Subject } from "../measure.ts";
import type { BenchmarkOptions } from "../options.ts";
import { type Demo, startParley } from "../parley-server.ts";
import { openClient } from "../scratch-database.ts";
import { seedConversations } from "../seed/seed-conversations.ts";
import { seedWorkspaces } from "../seed/seed-workspaces.ts";
import { settleDatabase } from "../seed/settle-database.ts";
import { formatNumber } from "../table.ts";
import { type DatabaseSize, requireDisk } from "./database-size.ts";

/** A server on a database of some size. */
export interface SizedServer {
  readonly size: DatabaseSize;
  readonly subject: Subject;
  readonly demo: Demo;
  /** Some of the demo workspace, in a random order. */
  readonly conversationIds: readonly string[];
}

const PROGRESS_MS = 10_000;

/** Starts a server on a new database, and fills that. Throws where the disk has no room. */
export async function startSizedServer(
  { postgres, resources, print }: BenchmarkOptions,
  size: DatabaseSize,
): Promise<SizedServer> {
  const database = await postgres.createDatabase(resources, `size_${size.name}`);
  const client = await openClient(resources, database.url);
  await requireDisk(client, size);
  const { pid, demo } = await startParley(resources, database.url);
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1000);
  await seedWorkspaces(client, size.workspaces);
  let printedAt = startedAt;
  const conversationIds = await seedConversations(client, size, (written) => {
    if (performance.now() - printedAt < PROGRESS_MS) return;
    printedAt = performance.now();
    print(`${written.toLocaleString("en")} conversations, ${seconds()} s\n`);
  });
  const writtenIn = seconds();
  await settleDatabase(client);
  print(
    `${await describeContent(client)}: written in ${writtenIn} s, vacuumed by ${seconds()} s\n`,
  );
  const subject = { name: size.name, pid, backends: database.backends };
  return { size, subject, demo, conversationIds };
}

async function describeContent(client: pg.Client): Promise<string> {
  const { rows } = await client.query<
    Record<"events" | "conversations" | "workspaces" | "bytes", string>
  >(
    `select (select count(*) from events) as events,
      (select count(*) from conversations) as conversations,
      (select count(*) from workspaces) as workspaces,
      pg_database_size(current_database()) as bytes`,
  );
  const [content] = rows;
  const count = (text: string | undefined) => Number(text).toLocaleString("en");
  const size = `${formatNumber(Number(content?.bytes) / 2 ** 20)} MiB`;
  return (
    `${count(content?.events)} events, ${count(content?.conversations)} conversations, ` +
    `${count(content?.workspaces)} workspaces, ${size}`
  );
}
