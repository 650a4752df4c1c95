/** What Parley relies on in its connections, and what a pooler in between may not keep. */
import { randomInt } from "node:crypto";
import type pg from "pg";

const CURE =
  "connect Parley to PostgreSQL itself, or through a pooler that gives each connection one session";

/** A connection that is not the session of PostgreSQL that Parley has asked for. */
export class UnfitSession extends Error {
  override readonly name = "UnfitSession";
  readonly reason: string;
  /** What to do about it. */
  readonly cure = CURE;

  constructor(reason: string, options?: ErrorOptions) {
    super(`the database cannot be used: ${reason}: ${CURE}`, options);
    this.reason = reason;
  }
}

/** Settings of a session by their names; times in milliseconds. */
export type SessionSettings = Readonly<Record<string, string | number>>;

const settingsQuery = {
  text: "select name, current_setting(name) as value from unnest($1::text[]) as name",
};

/** Throws `UnfitSession` if a new session lacks settings that were asked for; one round trip. */
export async function requireSettings(
  client: pg.ClientBase,
  settings: SessionSettings,
): Promise<void> {
  const query = { ...settingsQuery, values: [Object.keys(settings)] };
  const { rows } = await client.query<{ name: string; value: string }>(query);
  const wrong = rows.filter(({ name, value }) => {
    const asked = settings[name];
    return typeof asked === "number" ? millisecondsOf(value) !== asked : value !== asked;
  });
  if (wrong.length === 0) return;
  const list = wrong.map(({ name, value }) => `${name} is ${value}, not ${settings[name]}`);
  const sets = `its settings are dropped on the way (${list.join("; ")})`;
  throw new UnfitSession(`${sets}, as PgBouncer's ignore_startup_parameters does`);
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, min: 60_000, h: 3_600_000 };

/** A time as PostgreSQL shows it, as in `7500ms` and `2min`. */
function millisecondsOf(value: string): number {
  const [, number = "", unit = "ms"] = /^(\d+)(ms|s|min|h)?$/.exec(value) ?? [];
  return Number(number) * (UNITS[unit] ?? Number.NaN);
}

const SHARED = "(PgBouncer's pool_mode must be session)";
const PID = "select pg_backend_pid() as pid";

/**
 * Throws `UnfitSession` unless two connections that are used in turns are two sessions, each of which keeps
 * its process, its named statements and its locks from one transaction to the next.
 */
export async function requireSessions(first: pg.Client, second: pg.Client): Promise<void> {
  const key = randomInt(2 ** 31);
  const pidOf = async (client: pg.Client): Promise<unknown> =>
    (await client.query<{ pid: number }>(PID)).rows[0]?.pid;
  const lock = async (client: pg.Client, call: string): Promise<boolean> => {
    const query = { text: `select ${call}($1::bigint) as done`, values: [key] };
    return (await client.query<{ done: boolean }>(query)).rows[0]?.done === true;
  };
  const named = { name: "parley_session", text: PID };

  await first.query("begin").catch((error: unknown) => {
    throw new UnfitSession(`it takes no transactions ${SHARED}`, { cause: error });
  });
  const pid = await pidOf(first);
  await first.query("commit");
  await first.query(named);
  const isLocked = await lock(first, "pg_try_advisory_lock");
  // A transaction holds the session that the first connection may have given back.
  await second.query("begin");
  const isShared = (await pidOf(second)) === pid || (await lock(second, "pg_try_advisory_lock"));
  const isKept = (await pidOf(first)) === pid && !isShared;
  if (!isKept)
    throw new UnfitSession(`connections change their session between transactions ${SHARED}`);
  await first.query(named).catch((error: unknown) => {
    throw new UnfitSession(`named statements are lost between transactions ${SHARED}`, {
      cause: error,
    });
  });
  if (!isLocked || !(await lock(first, "pg_advisory_unlock"))) {
    throw new UnfitSession(`locks of a session are lost between transactions ${SHARED}`);
  }
  await second.query("rollback");
}
