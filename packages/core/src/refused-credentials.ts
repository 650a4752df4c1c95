import { auditEvents } from "@parley/db";
import type { ErrorType } from "@parley/schema";
import type { Caller, Core } from "./context.ts";

/** How long refusals are counted before they are written: what a killed process may lose. */
const WINDOW_MS = 10_000;
/** Entries of a window; further refusals are counted without their addresses. */
const MAX_ENTRIES = 100;

/** A request whose credential was refused. */
export interface RefusedCredential {
  readonly type: ErrorType;
  readonly address: string;
  /** The route that was asked for, as it is served. */
  readonly route: string;
  readonly requestId: string;
  /** Whose key it is, where it is a known one. */
  readonly caller: Caller | undefined;
}

/** Refused credentials on their way to the audit log. */
export interface RefusedCredentials {
  /** Counts a refusal, and does not wait for the log. */
  note(refusal: RefusedCredential): void;
  /** Writes what was counted so far. */
  flush(): Promise<void>;
  /** Writes what was counted, and takes no more. */
  close(): Promise<void>;
}

interface Entry extends Omit<RefusedCredential, "address" | "route" | "requestId"> {
  readonly at: number;
  readonly address: string | null;
  readonly route: string | null;
  readonly requestId: string | null;
  count: number;
}

/**
 * Records refused credentials. Anybody can have one refused, so they are counted by address, type
 * and key, and written together: a flood costs one statement and a bounded number of rows in each
 * window. Those with a known key have their own bound, so that strangers cannot crowd them out.
 */
export function createRefusedCredentials(
  core: Core,
  {
    onError,
    windowMs = WINDOW_MS,
  }: { readonly onError: (error: unknown) => void; readonly windowMs?: number },
): RefusedCredentials {
  const entries = createTally();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();
  let closed = false;

  const write = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const taken = entries.take();
    if (taken.length === 0) return;
    try {
      await core.database.db.insert(auditEvents).values(taken.map(toRow));
    } catch (error) {
      onError(error);
      // They wait for the next window, within the same bound.
      for (const entry of taken) entries.add(entry);
      startWindow();
    }
  };
  const flush = (): Promise<void> => (writing = writing.then(write));
  const startWindow = (): void => {
    if (!closed) timer ??= setTimeout(() => void flush(), windowMs).unref();
  };
  return {
    note: (refusal) => {
      entries.add({ ...refusal, at: core.now(), count: 1 });
      startWindow();
    },
    flush,
    close: async () => {
      closed = true;
      await flush();
    },
  };
}

/** Entries by what they have in common. */
function createTally() {
  let known = new Map<string, Entry>();
  let strangers = new Map<string, Entry>();
  return {
    add: (entry: Entry): void => {
      const tally = entry.caller === undefined ? strangers : known;
      const same = tally.get(nameOf(entry));
      if (same !== undefined) same.count += entry.count;
      else if (tally.size < MAX_ENTRIES) tally.set(nameOf(entry), { ...entry });
      else addNameless(strangers, entry);
    },
    take: (): Entry[] => {
      const taken = [...known.values(), ...strangers.values()];
      known = new Map();
      strangers = new Map();
      return taken;
    },
  };
}

/** Counts an entry of which only the type is kept: one of a few, so they have no bound. */
function addNameless(tally: Map<string, Entry>, entry: Entry): void {
  const nothing = { caller: undefined, address: null, route: null, requestId: null };
  const nameless = { ...entry, ...nothing };
  const same = tally.get(nameOf(nameless));
  if (same === undefined) tally.set(nameOf(nameless), nameless);
  else same.count += entry.count;
}

function nameOf({ type, address, caller }: Entry): string {
  return JSON.stringify([type, address, caller?.apiKey.sid]);
}

function toRow({ type, caller, ...entry }: Entry): typeof auditEvents.$inferInsert {
  return {
    ...entry,
    workspaceId: caller?.kind === "workspace" ? caller.workspace.sid : null,
    action: "credentials.refused",
    subjectId: caller?.apiKey.sid ?? null,
    outcome: type,
  };
}
