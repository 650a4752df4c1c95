import { isTerminal } from "./append.ts";
import type { Hint, StoredEvent } from "./bus.ts";
import type { Page } from "./read-log.ts";

/** Receives the events of a log. */
export interface Follower {
  /**
   * Takes the next events in order; `false` when it can take no more until `resume` is called.
   * Followers at the same place get the same array. Never throws.
   */
  take(events: readonly StoredEvent[]): boolean;
  /** Called once when there are no more events: after the terminal event, or when the log is deleted. */
  end(): void;
  /** Called, instead of `end`, when the log cannot be read. */
  fail(error: unknown): void;
}

/** A follower's hold on its log. */
export interface Following {
  /** Continues with a follower that could take no more. */
  resume(): void;
  /** Releases the log; the follower is not called any more. */
  stop(): void;
}

/** The followers of one log in a process: they share its hints, reads and events. */
export interface Tail {
  receive(hint: Extract<Hint, { topic: `log:${string}` }>): void;
  /** Adds a follower that has the events up to `after`; all events of a new log come with hints. */
  follow(follower: Follower, options: { after: number; isNew: boolean }): Following;
  /** Delivers what has arrived in one turn of the event loop. */
  flush(): void;
  readonly followerCount: () => number;
}

export interface TailParts {
  readonly readPage: (after: number) => Promise<Page | undefined>;
  /** When to read again; undefined for a permanent error. */
  readonly retryAfterMs: (error: unknown) => number | undefined;
  /** Schedules a call of `flush` at the end of this turn. */
  readonly schedule: () => void;
  /** Called when events are delivered first, with the time when the oldest was committed, or created. */
  readonly onNew: (committedAt: number) => void;
  /** Called when the last follower has left. */
  readonly release: () => void;
}

/** Hinted events that are retained while a follower catches up from the log. */
const MAX_RECENT = 256;

interface Place {
  readonly follower: Follower;
  cursor: number;
  /** Undefined while it can take no more, and when it has left. */
  group: Group | undefined;
  gone: boolean;
}

/** The followers at one place of the log, and whether the log is being read for them. */
interface Group {
  cursor: number;
  readonly places: Set<Place>;
  reading: boolean;
  /** The log's end at their last read. */
  knownEnd: number;
}

/** Creates the tail of a log, with at most one read at a time for followers at the same place. */
export function createTail(parts: TailParts): Tail {
  const groups = new Map<number, Group>();
  const paused = new Set<Place>();
  /** The highest hinted number, and the hinted events up to it, without a gap. */
  let last = 0;
  let recent: StoredEvent[] = [];
  /** Number of the last event that was delivered or existed before, once that is known. */
  let reached: number | undefined;
  /** When the first hinted event after it was committed. */
  let committedAt: number | undefined;

  const followerCount = (): number =>
    groups.values().reduce((sum, { places }) => sum + places.size, paused.size);

  function openGroup(cursor: number, knownEnd: number): Group {
    const group = { cursor, places: new Set<Place>(), reading: false, knownEnd };
    groups.set(cursor, group);
    return group;
  }

  function enter(group: Group, place: Place): void {
    place.group = group;
    group.places.add(place);
  }

  function join(place: Place, isNew: boolean): void {
    // A follower alone at its place has to read the log.
    const group = groups.get(place.cursor) ?? openGroup(place.cursor, isNew ? 0 : Infinity);
    enter(group, place);
    advance(group);
  }

  function leave(place: Place): void {
    if (place.gone) return;
    const { group } = place;
    place.gone = true;
    place.group = undefined;
    paused.delete(place);
    group?.places.delete(place);
    if (group !== undefined) closeIfEmpty(group);
    if (followerCount() === 0) parts.release();
  }

  function closeIfEmpty(group: Group): void {
    if (group.places.size > 0 || group.reading) return;
    if (groups.get(group.cursor) === group) groups.delete(group.cursor);
  }

  /** Advances a group with hinted events if they follow without a gap, and otherwise from the log. */
  function advance(group: Group): void {
    while (!group.reading && group.places.size > 0) {
      if (group.cursor >= last && group.cursor >= group.knownEnd) return;
      const first = recent[0]?.seq ?? Infinity;
      if (first > group.cursor + 1 || group.cursor >= last) return void read(group);
      if (group.knownEnd === Infinity) group.knownEnd = 0;
      group = deliver(group, recent.slice(group.cursor + 1 - first));
    }
  }

  /** Delivers events to a group and gives the group that its followers are in then. */
  function deliver(group: Group, events: readonly StoredEvent[]): Group {
    const end = events.at(-1);
    if (end === undefined) return group;
    noteNew(events, end.seq);
    groups.delete(group.cursor);
    const { places } = group;
    const ahead = groups.get(end.seq);
    group.cursor = end.seq;
    if (ahead === undefined) groups.set(end.seq, group);
    for (const place of places) {
      place.cursor = end.seq;
      const ready = place.follower.take(events);
      // It may have stopped meanwhile.
      if (place.gone) continue;
      if (isTerminal(end.type)) {
        leave(place);
        place.follower.end();
      } else if (!ready) {
        places.delete(place);
        place.group = undefined;
        paused.add(place);
      } else if (ahead !== undefined) enter(ahead, place);
    }
    if (ahead === undefined) {
      closeIfEmpty(group);
      return group;
    }
    places.clear();
    const ends = [group.knownEnd, ahead.knownEnd].filter(Number.isFinite);
    ahead.knownEnd = Math.max(0, ...ends);
    return ahead;
  }

  /** Reports events that no follower had yet, once for all groups. */
  function noteNew(events: readonly StoredEvent[], end: number): void {
    const before = reached ?? 0;
    if (end <= before) return;
    reached = end;
    const first = events.find(({ seq }) => seq > before);
    const at = committedAt ?? createdAt(first);
    if (end >= last) committedAt = undefined;
    if (at !== undefined) parts.onNew(at);
  }

  async function read(group: Group): Promise<void> {
    group.reading = true;
    const hinted = last;
    let page: Page | undefined;
    try {
      page = await parts.readPage(group.cursor);
    } catch (error) {
      const retryAfterMs = parts.retryAfterMs(error);
      if (retryAfterMs === undefined) return fail(group, error);
      setTimeout(() => {
        group.reading = false;
        settle(group);
      }, retryAfterMs).unref();
      return;
    }
    group.reading = false;
    if (page === undefined) return endAll();
    group.knownEnd = page.events.length === 0 ? 0 : page.lastSeq;
    // Events from before the first follower were not waited for.
    reached ??= page.lastSeq;
    // A hint of events that do not exist must not cause further reads.
    if (page.events.length === 0 && last === hinted && last > page.lastSeq) {
      last = page.lastSeq;
      recent = [];
    }
    settle(deliver(group, page.events));
  }

  /** Continues with a group after a read, and drops what only reads needed. */
  function settle(group: Group): void {
    closeIfEmpty(group);
    advance(group);
    forget();
  }

  function forget(): void {
    if (!groups.values().some((group) => group.reading || group.cursor < last)) recent = [];
  }

  function fail(group: Group, error: unknown): void {
    group.reading = false;
    for (const place of group.places) {
      leave(place);
      place.follower.fail(error);
    }
  }

  function endAll(): void {
    for (const place of [...paused, ...groups.values().flatMap(({ places }) => [...places])]) {
      leave(place);
      place.follower.end();
    }
  }

  return {
    receive: ({ lastSeq, events = [], gone, ...hint }) => {
      if (gone) return endAll();
      if (lastSeq <= last) return;
      if (lastSeq > (reached ?? 0)) committedAt ??= hint.committedAt;
      const fresh = events.filter(({ seq }) => seq > last);
      if (fresh[0]?.seq === last + 1) recent.push(...fresh);
      else recent = fresh;
      if (recent.length > MAX_RECENT) recent = fresh;
      last = lastSeq;
      parts.schedule();
    },
    follow: (follower, { after, isNew }) => {
      if (isNew) reached ??= 0;
      const place: Place = { follower, cursor: after, group: undefined, gone: false };
      join(place, isNew);
      return {
        resume: () => {
          if (paused.delete(place)) join(place, false);
        },
        stop: () => leave(place),
      };
    },
    flush: () => {
      for (const group of groups.values()) advance(group);
      forget();
    },
    followerCount,
  };
}

/** When an event was created, as every payload says after its type. */
function createdAt(event: StoredEvent | undefined): number | undefined {
  const created = /"created":(\d+)/.exec(event?.payload.slice(0, 200) ?? "")?.[1];
  return created === undefined ? undefined : Number(created);
}
