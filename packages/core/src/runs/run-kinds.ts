/** What the queue knows about each kind of run. A new kind is one more entry. */
import { type SQL, sql } from "drizzle-orm";
import type { RunRow } from "../data-access/rows.ts";

export type RunKind = RunRow["kind"];

interface RunKindRules {
  /** Names its runs in messages. */
  readonly plural: string;
  /** Attempts that a run may have in all, those after which its worker survived included. */
  readonly maxAttempts: number;
  /** Whether a run may be queued after an earlier run of its ordering key. */
  readonly isOrdered: boolean;
  /** Whether a run that is allowed one attempt has had it once it began. */
  readonly mayRunOnce: boolean;
  /** Whether a run is suspended only until its next attempt, not until others end. */
  readonly backsOff: boolean;
}

// A turn is given one more attempt each time that it is suspended.
const rules: Readonly<Record<RunKind, RunKindRules>> = {
  agent_turn: {
    plural: "agent turns",
    maxAttempts: 100,
    isOrdered: true,
    mayRunOnce: false,
    backsOff: false,
  },
  invocation: {
    plural: "invocations",
    maxAttempts: 5,
    isOrdered: false,
    mayRunOnce: true,
    backsOff: true,
  },
  compaction: {
    plural: "compactions",
    maxAttempts: 5,
    isOrdered: false,
    mayRunOnce: false,
    backsOff: false,
  },
  delivery: {
    plural: "deliveries",
    maxAttempts: 100,
    isOrdered: true,
    mayRunOnce: false,
    backsOff: false,
  },
  trigger_event: {
    plural: "events of triggers",
    maxAttempts: 100,
    isOrdered: false,
    mayRunOnce: false,
    backsOff: false,
  },
  trace_export: {
    plural: "exports of traces",
    maxAttempts: 100,
    isOrdered: false,
    mayRunOnce: false,
    backsOff: false,
  },
  division: {
    plural: "divisions of documents",
    maxAttempts: 100,
    isOrdered: false,
    mayRunOnce: false,
    backsOff: false,
  },
  embedding: {
    plural: "embeddings of documents",
    maxAttempts: 100,
    isOrdered: false,
    mayRunOnce: false,
    backsOff: false,
  },
  web_refresh: {
    plural: "refreshes of web sources",
    maxAttempts: 100,
    isOrdered: false,
    mayRunOnce: false,
    backsOff: false,
  },
  firing: {
    plural: "firings",
    maxAttempts: 100,
    isOrdered: false,
    mayRunOnce: false,
    backsOff: false,
  },
};

/** All kinds of runs, with their names also as SQL literals, which partial indexes need. */
export const runKinds: readonly (RunKindRules & { kind: RunKind; literal: SQL })[] = Object.entries(
  rules,
).map(([kind, rulesOfKind]) => ({
  ...rulesOfKind,
  // The table has these members only.
  kind: kind as RunKind,
  literal: sql.raw(`'${kind}'`),
}));

/** Names a kind's runs in messages. */
export const pluralOf = (kind: RunKind): string => rules[kind].plural;

/** The SQL condition that a run is of one of the kinds for which a rule holds. */
export function isOfKindWith(rule: "mayRunOnce" | "backsOff"): SQL {
  const literals = runKinds.filter((one) => one[rule]).map(({ literal }) => literal);
  return sql`kind in (${sql.join(literals, sql`, `)})`;
}
