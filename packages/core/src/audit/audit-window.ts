import { auditEvents } from "@parley/db";
import type { Process } from "../context.ts";

/** How long refusals are counted before they are written: what a killed process may lose. */
const WINDOW_MS = 10_000;
/** Rows of a group in a window; further ones are counted anonymously. */
const MAX_ROWS = 100;

export interface AuditWindowOptions {
  readonly onError: (error: unknown) => void;
  readonly windowMs?: number;
}

/** A row of the audit log that stands for `count` equal refusals. */
export type CountedRow = typeof auditEvents.$inferInsert & { count: number };

interface CountingRules {
  /** Rows of one group share a bound. */
  readonly groupOf: (row: CountedRow) => string;
  /** The row without its source: one of a few, so those have no bound. */
  readonly anonymize: (row: CountedRow) => CountedRow;
  readonly onWindowEnd?: () => void;
}

/** Refusals on their way to the audit log, which are written together, window after window. */
export interface AuditWindow {
  /** Begins a window unless one has begun. */
  open(): void;
  /** Adds a row to the window, or its count to an equal row. */
  add(row: CountedRow): void;
  /** Writes what was counted so far. */
  flush(): Promise<void>;
  /** Writes what was counted, and begins no more windows. */
  close(): Promise<void>;
}

export function createAuditWindow(
  core: Process,
  { groupOf, anonymize, onWindowEnd }: CountingRules,
  { onError, windowMs = WINDOW_MS }: AuditWindowOptions,
): AuditWindow {
  let groups = new Map<string, Map<string, CountedRow>>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();
  let closed = false;

  const rowsOf = (row: CountedRow) => groups.getOrInsertComputed(groupOf(row), () => new Map());
  const open = (): void => {
    if (!closed) timer ??= setTimeout(() => void flush(), windowMs).unref();
  };
  const add = (row: CountedRow): void => {
    open();
    const isFull = !rowsOf(row).has(nameOf(row)) && rowsOf(row).size >= MAX_ROWS;
    const counted = isFull ? anonymize(row) : row;
    const same = rowsOf(counted).get(nameOf(counted));
    if (same === undefined) rowsOf(counted).set(nameOf(counted), { ...counted });
    else same.count += counted.count;
  };
  const write = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const rows = [...groups.values()].flatMap((ofGroup) => [...ofGroup.values()]);
    groups = new Map();
    onWindowEnd?.();
    if (rows.length === 0) return;
    try {
      await core.database.db.insert(auditEvents).values(rows);
    } catch (error) {
      onError(error);
      // They wait for the next window, within the same bound.
      for (const row of rows) add(row);
    }
  };
  const flush = (): Promise<void> => (writing = writing.then(write));
  return {
    open,
    add,
    flush,
    close: async () => {
      closed = true;
      await flush();
    },
  };
}

/** Rows of one name are counted together. */
function nameOf({ action, outcome, actorId, subjectId, clientIp }: CountedRow): string {
  return JSON.stringify([action, outcome, actorId, subjectId, clientIp]);
}
