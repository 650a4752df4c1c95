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
const NONE: readonly StoredEvent[] = [];

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

/**
 * The followers of one log in a process: they share its hints, reads and events, with at most one read at a
 * time for followers at the same place. A class, because its methods as closures of each log would be a
 * kilobyte for each idle stream.
 */
export class Tail {
  readonly #parts: TailParts;
  readonly #groups = new Map<number, Group>();
  /** Those that can take no more; few tails ever have one. */
  #paused: Set<Place> | undefined;
  /** The highest hinted number, and the hinted events up to it, without a gap. */
  #last = 0;
  #recent: readonly StoredEvent[] = NONE;
  /** Number of the last event that was delivered or existed before, once that is known. */
  #reached: number | undefined;
  /** When the first hinted event after it was committed. */
  #committedAt: number | undefined;

  constructor(parts: TailParts) {
    this.#parts = parts;
  }

  followerCount(): number {
    const paused = this.#paused?.size ?? 0;
    return this.#groups.values().reduce((sum, { places }) => sum + places.size, paused);
  }

  receive({
    lastSeq,
    events = NONE,
    gone,
    ...hint
  }: Extract<Hint, { topic: `log:${string}` }>): void {
    if (gone) return this.#endAll();
    if (lastSeq <= this.#last) return;
    if (lastSeq > (this.#reached ?? 0)) this.#committedAt ??= hint.committedAt;
    const fresh = events.filter(({ seq }) => seq > this.#last);
    const follows = fresh[0]?.seq === this.#last + 1;
    this.#recent = follows ? [...this.#recent, ...fresh] : fresh;
    if (this.#recent.length > MAX_RECENT) this.#recent = fresh;
    this.#last = lastSeq;
    this.#parts.schedule();
  }

  /** Adds a follower that has the events up to `after`; all events of a new log come with hints. */
  follow(follower: Follower, { after, isNew }: { after: number; isNew: boolean }): Following {
    if (isNew) this.#reached ??= 0;
    const place: Place = { follower, cursor: after, group: undefined, gone: false };
    this.#join(place, isNew);
    return {
      resume: () => {
        if (this.#paused?.delete(place)) this.#join(place, false);
      },
      stop: () => this.#leave(place),
    };
  }

  /** Delivers what has arrived in one turn of the event loop. */
  flush(): void {
    for (const group of this.#groups.values()) this.#advance(group);
    this.#forget();
  }

  #openGroup(cursor: number, knownEnd: number): Group {
    const group = { cursor, places: new Set<Place>(), reading: false, knownEnd };
    this.#groups.set(cursor, group);
    return group;
  }

  #join(place: Place, isNew: boolean): void {
    // A follower alone at its place has to read the log.
    const knownEnd = isNew ? 0 : Infinity;
    const group = this.#groups.get(place.cursor) ?? this.#openGroup(place.cursor, knownEnd);
    enter(group, place);
    this.#advance(group);
  }

  #leave(place: Place): void {
    if (place.gone) return;
    const { group } = place;
    place.gone = true;
    place.group = undefined;
    this.#paused?.delete(place);
    group?.places.delete(place);
    if (group !== undefined) this.#closeIfEmpty(group);
    if (this.followerCount() === 0) this.#parts.release();
  }

  #closeIfEmpty(group: Group): void {
    if (group.places.size > 0 || group.reading) return;
    if (this.#groups.get(group.cursor) === group) this.#groups.delete(group.cursor);
  }

  /** Advances a group with hinted events if they follow without a gap, and otherwise from the log. */
  #advance(group: Group): void {
    while (!group.reading && group.places.size > 0) {
      if (group.cursor >= this.#last && group.cursor >= group.knownEnd) return;
      const first = this.#recent[0]?.seq ?? Infinity;
      if (first > group.cursor + 1 || group.cursor >= this.#last) return void this.#read(group);
      if (group.knownEnd === Infinity) group.knownEnd = 0;
      group = this.#deliver(group, this.#recent.slice(group.cursor + 1 - first));
    }
  }

  /** Delivers events to a group and gives the group that its followers are in then. */
  #deliver(group: Group, events: readonly StoredEvent[]): Group {
    const end = events.at(-1);
    if (end === undefined) return group;
    this.#noteNew(events, end.seq);
    this.#groups.delete(group.cursor);
    const { places } = group;
    const ahead = this.#groups.get(end.seq);
    group.cursor = end.seq;
    if (ahead === undefined) this.#groups.set(end.seq, group);
    for (const place of places) {
      place.cursor = end.seq;
      const ready = place.follower.take(events);
      // It may have stopped in the meantime.
      if (place.gone) continue;
      if (isTerminal(end.type)) {
        this.#leave(place);
        place.follower.end();
      } else if (!ready) {
        places.delete(place);
        place.group = undefined;
        (this.#paused ??= new Set()).add(place);
      } else if (ahead !== undefined) enter(ahead, place);
    }
    if (ahead === undefined) {
      this.#closeIfEmpty(group);
      return group;
    }
    places.clear();
    const ends = [group.knownEnd, ahead.knownEnd].filter(Number.isFinite);
    ahead.knownEnd = Math.max(0, ...ends);
    return ahead;
  }

  /** Reports events that no follower had yet, once for all groups. */
  #noteNew(events: readonly StoredEvent[], end: number): void {
    const before = this.#reached ?? 0;
    if (end <= before) return;
    this.#reached = end;
    const first = events.find(({ seq }) => seq > before);
    const at = this.#committedAt ?? createdAt(first);
    if (end >= this.#last) this.#committedAt = undefined;
    if (at !== undefined) this.#parts.onNew(at);
  }

  async #read(group: Group): Promise<void> {
    group.reading = true;
    const hinted = this.#last;
    let page: Page | undefined;
    try {
      page = await this.#parts.readPage(group.cursor);
    } catch (error) {
      const retryAfterMs = this.#parts.retryAfterMs(error);
      if (retryAfterMs === undefined) return this.#fail(group, error);
      setTimeout(() => {
        group.reading = false;
        this.#settle(group);
      }, retryAfterMs).unref();
      return;
    }
    group.reading = false;
    if (page === undefined) return this.#endAll();
    group.knownEnd = page.events.length === 0 ? 0 : page.lastSeq;
    // Events from before the first follower were not waited for.
    this.#reached ??= page.lastSeq;
    // A hint of events that do not exist must not cause further reads.
    if (page.events.length === 0 && this.#last === hinted && this.#last > page.lastSeq) {
      this.#last = page.lastSeq;
      this.#recent = NONE;
    }
    this.#settle(this.#deliver(group, page.events));
  }

  /** Continues with a group after a read, and drops what only reads needed. */
  #settle(group: Group): void {
    this.#closeIfEmpty(group);
    this.#advance(group);
    this.#forget();
  }

  #forget(): void {
    const isNeeded = (group: Group) => group.reading || group.cursor < this.#last;
    if (!this.#groups.values().some(isNeeded)) this.#recent = NONE;
  }

  #fail(group: Group, error: unknown): void {
    group.reading = false;
    for (const place of group.places) {
      this.#leave(place);
      place.follower.fail(error);
    }
  }

  #endAll(): void {
    const grouped = this.#groups.values().flatMap(({ places }) => [...places]);
    for (const place of [...(this.#paused ?? []), ...grouped]) {
      this.#leave(place);
      place.follower.end();
    }
  }
}

function enter(group: Group, place: Place): void {
  place.group = group;
  group.places.add(place);
}

/** When an event was created, as every payload says after its type. */
function createdAt(event: StoredEvent | undefined): number | undefined {
  const created = /"created":(\d+)/.exec(event?.payload.slice(0, 200) ?? "")?.[1];
  return created === undefined ? undefined : Number(created);
}
