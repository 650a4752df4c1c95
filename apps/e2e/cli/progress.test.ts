import path from "node:path";
import { createTemporaryDatabase, migrateUpTo, runOn } from "@parley/db/testing";
import pg from "pg";
import { expect, test } from "vitest";
import { openTerminal } from "./terminal.ts";
import { openUser } from "./user.ts";

async function createDatabase(isBare: boolean) {
  const { url, drop } = await createTemporaryDatabase({ isBare });
  return { url, [Symbol.asyncDispose]: drop };
}

const ROWS = 60_000;
const fill = `insert into audit_events (at, action, outcome)
  select n, repeat('a', 200), 'succeeded' from generate_series(1, ${ROWS}) n`;

test("a terminal shows how far an export and an import are, and then what they did", async () => {
  await using source = await createDatabase(false);
  await using target = await createDatabase(false);
  await runOn(source.url, fill);
  await runOn(source.url, "analyze audit_events");
  const { file } = await openUser();
  const exported = path.join(file, "../../export.jsonl");
  const steps = [
    ["export", source.url, String.raw`exporting \S+ \d+% \| \d+ of 60000 rows \| \S+ left`],
    ["import", target.url, String.raw`importing \S+ \d+% \| \d+ of \d{8} bytes \| \S+ left`],
  ] as const;
  for (const [command, DATABASE_URL, shown] of steps) {
    const terminal = openTerminal([command, exported], { settings: { DATABASE_URL } });
    expect(await terminal.exited).toBe(0);
    expect(terminal.written()).toMatch(new RegExp(shown));
    // The bar is gone in the end.
    expect(terminal.scrollback()).toMatch(/^(?:Ex|Im)ported 60000 rows of \d+ tables$/);
  }
});

test("a migration of older tables says how much it has to do", async () => {
  await using database = await createDatabase(true);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await migrateUpTo(client, "0034_activity");
  await client.end();
  const { run } = await openUser();
  const settings = { DATABASE_URL: database.url };
  const first = await run(["migrate"], "", settings);
  expect([first.code, first.stdout]).toEqual([0, "The database is up to date\n"]);
  expect(first.stderr).toMatch(/^Applying migrations \(\d+\); /);
  expect(await run(["migrate"], "", settings)).toEqual({ ...first, stderr: "" });
});
