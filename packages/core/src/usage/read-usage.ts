import {
  invalidRequest,
  MAX_HOURLY_USAGE_DAYS,
  MAX_USAGE_DAYS,
  type ReadServerUsage,
  type ReadUsage,
  toListedTimezone,
  type Usage,
} from "@parley/schema";
import type { RequestContext } from "../context.ts";
import { onSlowDatabase } from "../data-access/slow-database.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";
import { HOURS_KEPT_DAYS } from "./sum-usage.ts";
import { figuresOf } from "./usage-figures.ts";
import { type UsageQuery, type UsageRow, usageOfServer, usageOfWorkspace } from "./usage-rows.ts";

const DAY_MS = 24 * 3_600_000;

/**
 * Reads what calls of models of a workspace took and cost in a range of days, and in as many days before it. Throws
 * `invalid_request_error` for a range that is too long, or by hour too long ago.
 */
export async function getUsage(request: RequestContext, input: ReadUsage): Promise<Usage> {
  const context = onSlowDatabase(request);
  const query = toQuery(context, input);
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, input.wId);
  const { agents = null, keys = null, users = null } = input;
  const rows = await usageOfWorkspace[input.by].execute(db, {
    ...query,
    workspaceId: workspace.id,
    agents,
    keys,
    users,
  });
  return toUsage(rows, query);
}

/** Does what `getUsage` does, for all workspaces. */
export async function getServerUsage(
  request: RequestContext,
  input: ReadServerUsage,
): Promise<Usage> {
  const context = onSlowDatabase(request);
  const query = toQuery(context, input);
  const { workspaces = null } = input;
  const { db } = context.database;
  const rows = await usageOfServer[input.by].execute(db, { ...query, workspaces });
  return toUsage(rows, query);
}

function toQuery(
  { now }: Pick<RequestContext, "now">,
  input: Omit<ReadServerUsage, "by" | "workspaces">,
): UsageQuery {
  const { startDate, endDate, groupBy, models = null, origins = null } = input;
  const at = now();
  const isHourly = groupBy === "hour";
  const maxDays = isHourly ? MAX_HOURLY_USAGE_DAYS : MAX_USAGE_DAYS;
  const days = (Date.parse(endDate) - Date.parse(startDate)) / DAY_MS + 1;
  if (days < 1 || days > maxDays) {
    const message = `must not be before startDate, and the range at most ${maxDays} days`;
    throw invalidRequest("query", [{ path: "endDate", message }]);
  }
  if (isHourly && Date.parse(startDate) < at - (HOURS_KEPT_DAYS - 1) * DAY_MS) {
    const message = `must be one of the last ${HOURS_KEPT_DAYS - 1} days: hours are not kept longer`;
    throw invalidRequest("query", [{ path: "startDate", message }]);
  }
  return {
    startDate,
    endDate,
    groupBy,
    models,
    origins,
    timezone: toListedTimezone(input.timezone),
    now: at,
    workspaceId: null,
    workspaces: null,
    agents: null,
    keys: null,
    users: null,
  };
}

const subjectOf = ({ id, name, place }: UsageRow) => ({ id, name, isOthers: place === null });

function toUsage(rows: readonly UsageRow[], { timezone }: UsageQuery): Usage {
  const places = Map.groupBy(rows, ({ place, currency }) => `${place ?? "others"} ${currency}`);
  const currencies = Map.groupBy(rows, ({ currency }) => currency);
  const compare = (of: readonly UsageRow[]) => {
    const [before, now] = [true, false].map((is) => of.filter((row) => row.isBefore === is));
    return { currency: of[0]!.currency, ...figuresOf(now!), before: figuresOf(before!) };
  };
  const placeOf = ([row]: readonly UsageRow[]) => row!.place ?? Infinity;
  return {
    timezone: rows[0]?.timezone ?? timezone,
    rows: rows
      .filter(({ isBefore }) => !isBefore)
      .map((row) => ({
        // Only what is before the range has neither.
        date: row.date!,
        startsAt: row.startsAt!,
        ...subjectOf(row),
        currency: row.currency,
        ...figuresOf([row]),
      })),
    groups: [...places.values()]
      .toSorted((a, b) => placeOf(a) - placeOf(b))
      .map((of) => ({ ...subjectOf(of[0]!), ...compare(of) })),
    totals: [...currencies.values()].map(compare),
  };
}
