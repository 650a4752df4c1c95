import { type MigrationState, findUnfitSession, inspectPrograms, type Observed } from "@parley/db";
import { type Finding, fail, failBy, ok, warn } from "./finding.ts";
import { ANSWER_MS, type Surroundings, orNothing } from "./surroundings.ts";

const DIRECTORY = "data directory";

/** The data directory of the embedded database: its permissions, and the process that uses it. */
export async function checkDirectory(around: Surroundings): Promise<readonly Finding[]> {
  if (!around.isEmbedded) return [];
  const { PARLEY_DATA_DIR: directory } = around.settings;
  const { exists, isOpen, holder, hasDatabase } = await around.directory();
  if (!exists)
    return [ok(DIRECTORY, `${directory} does not exist yet; the first start creates it`)];
  const state = holder === undefined ? "no server is using it" : `in use by ${holder}`;
  const content = hasDatabase ? "it contains a database" : "it contains no database yet";
  const finding = `${directory} is writable, ${content}, ${state}`;
  if (!isOpen) return [ok(DIRECTORY, finding)];
  return [warn(DIRECTORY, `${finding}; other users can enter it`, `chmod 700 ${directory}`)];
}

/** The programs of the embedded database. */
export async function checkPrograms({ isEmbedded }: Surroundings): Promise<readonly Finding[]> {
  if (!isEmbedded) return [];
  const version = await inspectPrograms({ timeoutMs: ANSWER_MS });
  return [ok("embedded database", `PostgreSQL ${version} for this platform is installed`)];
}

/** The oldest that Parley is tested with. */
const OLDEST_TESTED = 15;
/** Of a process, beside its pool: two for slow work, and one for migrations. */
const OTHER_CONNECTIONS = 3;
/** Time for a look at its sessions. */
const SESSIONS_MS = 3000;

/** PostgreSQL: whether it can be reached, may be written to, and is new enough. */
export async function checkDatabase(around: Surroundings): Promise<readonly Finding[]> {
  const what = "database";
  if (around.isEmbedded && (await isSilent(around.directory))) return [];
  const found = await around.database();
  if (found === undefined) return [ok(what, "embedded; it starts with parley serve")];
  const where = around.isEmbedded ? "the embedded one" : hostOf(around.settings.DATABASE_URL);
  const running = `PostgreSQL ${found.version}, ${where}, answers in ${found.roundTripMs} ms`;
  if (found.isReadOnly) {
    return [fail(what, `${running}, but is read-only`, "set DATABASE_URL to a primary")];
  }
  if (Number.parseInt(found.version, 10) < OLDEST_TESTED) {
    const cure = `use PostgreSQL ${OLDEST_TESTED} or newer`;
    return [warn(what, `${running}, but is older than what Parley is tested with`, cure)];
  }
  return [ok(what, running)];
}

/** Its connections: whether they are sessions of PostgreSQL. It finds nothing if they are. */
export async function checkSessions({ settings }: Surroundings): Promise<readonly Finding[]> {
  const { DATABASE_URL: url } = settings;
  if (url === undefined) return [];
  const unfit = await orNothing(() => findUnfitSession(url, { timeoutMs: SESSIONS_MS }));
  return unfit === undefined ? [] : [fail("sessions", unfit.reason, unfit.cure)];
}

/** Its tables: whether they are this version's, and may be made so. */
export async function checkTables(around: Surroundings): Promise<readonly Finding[]> {
  const found = await orNothing(around.database);
  return found === undefined ? [] : [judgeTables(found.migrations, found.mayCreate)];
}

/** What the state of the tables means for a start. */
export function judgeTables(
  { state, missing, foreign }: MigrationState,
  mayCreate: boolean,
): Finding {
  const what = "tables";
  if (foreign !== undefined) return failBy(what, foreign, "set DATABASE_URL to an empty database");
  if (state === "newer") {
    const cure = "run that version of Parley, or a newer one";
    return fail(what, "they were written by a newer version than this one", cure);
  }
  if (state === "current") return ok(what, "they are up to date");
  const lacking =
    state === "empty" ? "the database is empty" : `migrations are missing: ${missing}`;
  if (!mayCreate) {
    const cure =
      "make the user of DATABASE_URL the owner of the database, or grant it create on the database and " +
      "on its schema public";
    return fail(what, `${lacking}, and the user may not create tables`, cure);
  }
  if (state === "empty") return ok(what, `${lacking}; the first start creates them`);
  return warn(what, lacking, "run parley migrate; the next start does it too");
}

/** Connections to PostgreSQL: whether this process would have those of its pool. */
export async function checkConnections(around: Surroundings): Promise<readonly Finding[]> {
  const found = await orNothing(around.database);
  // Parley sets those of the embedded one.
  if (found === undefined || around.isEmbedded) return [];
  return [judgeConnections(found.connections, around.settings.PARLEY_DATABASE_POOL)];
}

/** Whether the connections that are left are enough for a process. */
export function judgeConnections(
  { most, available }: { readonly most: number; readonly available: number },
  pool: number,
): Finding {
  const what = "connections";
  const needed = pool + OTHER_CONNECTIONS;
  const finding = `${Math.max(0, available)} of ${most} are available; a process takes up to ${needed}`;
  if (available >= needed) return ok(what, finding);
  const cure = "raise max_connections of PostgreSQL, or lower PARLEY_DATABASE_POOL";
  return available <= OTHER_CONNECTIONS ? fail(what, finding, cure) : warn(what, finding, cure);
}

const isSilent = async (look: () => Promise<unknown>): Promise<boolean> =>
  look().then(
    () => false,
    () => true,
  );

/** Without user and password. */
function hostOf(url = ""): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

/** Schedules of all workspaces that start nothing; nothing is said if there are none. */
export async function checkSchedules(around: Surroundings): Promise<readonly Finding[]> {
  const database = await orNothing(around.database);
  return database === undefined ? [] : judgeSchedules(database.schedules);
}

export function judgeSchedules({
  withoutKey,
  failing,
}: {
  readonly withoutKey: number;
  readonly failing: number;
}): readonly Finding[] {
  const found = [
    ...(withoutKey > 0 ? [`${withoutKey} paused because their key is no longer valid`] : []),
    ...(failing > 0 ? [`${failing} failing to start what they should`] : []),
  ];
  const cure =
    "parley schedules list shows them; name another key with parley schedules resume --key, " +
    "and see parley schedules firings for what fails";
  return found.length === 0 ? [] : [warn("schedules", found.join(", "), cure)];
}

/** Alerts, exports of traces and the search of all workspaces; nothing is said if all is well. */
export async function checkObservation(around: Surroundings): Promise<readonly Finding[]> {
  const database = await orNothing(around.database);
  return database === undefined ? [] : judgeObservation(database.observed);
}

/** Indexing and divisions are seconds behind as a rule, and minutes behind a stalled transaction. */
const LATE_MS = 600_000;

const inWorkspaces = (count: number): string =>
  count === 1 ? "in 1 workspace" : `in ${count} workspaces`;

export function judgeObservation({
  openAlerts,
  failingDestinations,
  unindexedMs,
  byMeaning,
  withoutVectors,
  vectorIndexes,
  failedDivisions,
  undividedMs,
  failingWebSources,
}: Observed): readonly Finding[] {
  const minutesOf = (ms: number) => Math.round(ms / 60_000);
  const ways = vectorIndexes === 0 ? "exact" : `exact; hnsw ${inWorkspaces(vectorIndexes)}`;
  return [
    ...(openAlerts > 0
      ? [warn("alerts", `${openAlerts} open`, "parley alerts incidents shows those of a workspace")]
      : []),
    ...(failingDestinations > 0
      ? [
          warn(
            "traces",
            failingDestinations === 1
              ? "1 destination fails"
              : `${failingDestinations} destinations fail`,
            "parley traces destinations list shows why; what they miss is kept for a week",
          ),
        ]
      : []),
    ...(byMeaning > 0
      ? [ok("documents", `${inWorkspaces(byMeaning)} found by words and meaning (${ways})`)]
      : []),
    ...(withoutVectors > 0
      ? [
          warn(
            "vectors",
            `none are made ${inWorkspaces(withoutVectors)}`,
            "parley knowledge status shows why",
          ),
        ]
      : []),
    ...(unindexedMs > LATE_MS
      ? [
          warn(
            "search",
            `messages of the last ${minutesOf(unindexedMs)} minutes are not found by their words yet`,
            "start a worker, and look for transactions that stay open in PostgreSQL",
          ),
        ]
      : []),
    ...(failedDivisions > 0
      ? [
          warn(
            "knowledge",
            failedDivisions === 1
              ? "agents do not find 1 document, whose division failed"
              : `agents do not find ${failedDivisions} documents, whose division failed`,
            "parley knowledge documents <data-source> --state failed shows why; parley knowledge divide <data-source> tries again",
          ),
        ]
      : []),
    ...(undividedMs > LATE_MS
      ? [
          warn(
            "knowledge",
            `agents do not find documents of ${minutesOf(undividedMs)} minutes ago yet`,
            "start a worker, or more of them",
          ),
        ]
      : []),
    ...(failingWebSources > 0
      ? [
          warn(
            "web sources",
            failingWebSources === 1
              ? "1 could not be read the last time"
              : `${failingWebSources} could not be read the last time`,
            "parley knowledge sources list shows why",
          ),
        ]
      : []),
  ];
}

/** Redis, if a setting names one. */
export async function checkRedis({ settings }: Surroundings): Promise<readonly Finding[]> {
  const { REDIS_URL: url } = settings;
  if (url === undefined) return [];
  const { requireRedis } = await import("../require-redis.ts");
  await requireRedis(url);
  return [ok("redis", `${new URL(url).host} answers`)];
}
