// Which programs may run. A running program holds one of `max` places, which workspaces share by turns; one that waits for
// a timer or an answer holds none, nor does one that was stopped so that another workspace gets its turn. Those
// are bounded by the memory of their processes.
import { createFairQueue } from "@parley/fair-queue";
import type { Confinement } from "../confinement.ts";
import type { Child } from "./child.ts";
import type { Place, PlaceOptions, Pool } from "./places.ts";
import { ownBytesOf } from "./proc.ts";
import { createProcesses } from "./processes.ts";
import { chooseEnded } from "./waiting-memory.ts";

export interface PoolOptions {
  readonly confinement: Confinement;
  /** Programs that run at once, and processes that are ready for some. */
  readonly max: number;
  /** Memory of the programs that wait without a place. */
  readonly maxWaitingBytes: number;
  /** Called when a process goes without its place, and when it has one again. */
  readonly onRest: (child: Child, isResting: boolean) => void;
}

/** No process was free in time. */
export class PoolFull extends Error {}

/** How long a program may wait for places, all in all. */
export const MAX_WAIT_MS = 60_000;
/**
 * How long a workspace keeps a process, or a program above its share its place, while others wait: replacing a
 * process takes longer than a short program.
 */
const TURN_MS = 250;
/** How long a program keeps its place if more workspaces wait than there are places. */
const SLICE_MS = 1000;
const FULL = `No process was free within ${MAX_WAIT_MS} ms`;

/** Whoever waits for a place. */
interface Waiting {
  /** Whether it continues with a program. */
  readonly isBegun: boolean;
  readonly start: () => void;
  readonly refuse: (reason: unknown) => void;
}

interface Guest extends Pick<PlaceOptions, "overload"> {
  readonly child: Child;
  readonly workspaceId: number;
  /** `parked` waits for its own reasons, `due` for a place. */
  state: "starting" | "running" | "parked" | "due" | "ending";
  /** When it got into its state. */
  since: number;
  hasPlace: boolean;
  /** What its process held when it lost its place. */
  bytes: number;
  heldUpMs: number;
  /** Where it is due. */
  waiting: Waiting | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** Creates a pool without any process: the first that is asked for starts. */
export function createPool({ confinement, max, maxWaitingBytes, onRest }: PoolOptions): Pool {
  const queue = createFairQueue<Waiting>({ places: max, goesFirst: ({ isBegun }) => isBegun });
  const guests = new Set<Guest>();
  const turnSince = new WeakMap<Child, number>();
  let turnTimer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const running = () => queue.held;
  const afterEnd = () => serve();
  const processes = createProcesses({ confinement, max, running, afterEnd });

  const serve = (): void => {
    if (isClosed) return;
    for (let taken = queue.take(); taken !== undefined; taken = queue.take()) {
      taken.items[0]?.start();
    }
    stopOne();
    processes.fit();
    if (queue.size > 0) turnTimer ??= setTimeout(nextTurn, TURN_MS).unref();
  };
  const nextTurn = (): void => {
    turnTimer = undefined;
    serve();
  };
  /** Stops a program whose workspace has more than its part, so that another workspace has a place. */
  const stopOne = (): void => {
    const owing = queue.owing();
    if (owing === undefined) return;
    const before = performance.now() - (owing.isAboveShare ? TURN_MS : SLICE_MS);
    const [guest] = [...guests]
      .filter(({ state, since }) => state === "running" && since <= before)
      .filter(({ workspaceId }) => owing.workspaceIds.includes(workspaceId))
      .toSorted((one, other) => one.since - other.since);
    if (guest === undefined) return;
    guest.child.stop();
    guest.hasPlace = false;
    queue.giveWay(
      guest.workspaceId,
      waitAgain(guest, () => guest.child.go()),
    );
    rest(guest);
    serve();
  };

  const enter = (guest: Guest, state: Guest["state"]): void => {
    guest.heldUpMs = heldUpMs(guest);
    guest.state = state;
    guest.since = performance.now();
  };
  const waitAgain = (guest: Guest, go: () => void): Waiting => {
    enter(guest, "due");
    const start = (): void => {
      stopWaiting(guest);
      guest.hasPlace = true;
      enter(guest, "running");
      onRest(guest.child, false);
      go();
    };
    guest.timer = setTimeout(() => guest.overload(FULL), MAX_WAIT_MS - guest.heldUpMs);
    guest.waiting = { isBegun: true, start, refuse: () => {} };
    return guest.waiting;
  };
  const stopWaiting = (guest: Guest): void => {
    clearTimeout(guest.timer);
    if (guest.waiting !== undefined) queue.remove(guest.workspaceId, guest.waiting);
    guest.waiting = undefined;
  };
  const freePlace = (guest: Guest): void => {
    if (guest.hasPlace) queue.ended(guest.workspaceId);
    guest.hasPlace = false;
  };
  /** Counts the memory of a program without a place, and ends some if there is not enough. */
  const rest = (guest: Guest): void => {
    guest.bytes = ownBytesOf(guest.child.pid) ?? 0;
    onRest(guest.child, true);
    const resting = [...guests].filter(({ state }) => state === "parked" || state === "due");
    for (const one of chooseEnded(resting, maxWaitingBytes)) {
      one.overload(`It waited, and its memory was needed: ${maxWaitingBytes} bytes are for all`);
    }
  };

  const open = (child: Child, workspaceId: number, { overload }: PlaceOptions): Guest => {
    const guest: Guest = {
      child,
      overload,
      workspaceId,
      state: "starting",
      since: performance.now(),
      hasPlace: true,
      bytes: 0,
      heldUpMs: 0,
      waiting: undefined,
      timer: undefined,
    };
    guests.add(guest);
    return guest;
  };
  const leave = (guest: Guest): void => {
    const { child, workspaceId } = guest;
    stopWaiting(guest);
    guests.delete(guest);
    freePlace(guest);
    if (processes.keep(child)) {
      const hasTurn = performance.now() - (turnSince.get(child) ?? 0) < TURN_MS;
      const next = hasTurn ? queue.take((id) => id === workspaceId) : undefined;
      if (next === undefined) turnSince.set(child, performance.now());
      else next.items[0]?.start();
    }
    serve();
  };
  const placeOf = (guest: Guest): Place => ({
    child: guest.child,
    get heldUpMs() {
      return heldUpMs(guest);
    },
    park: () => {
      if (guest.state !== "running") return;
      enter(guest, "parked");
      freePlace(guest);
      rest(guest);
      serve();
    },
    resume: (go) => {
      if (guest.state !== "parked") return;
      queue.push(guest.workspaceId, waitAgain(guest, go));
      serve();
    },
    end: () => {
      stopWaiting(guest);
      enter(guest, "ending");
      guest.child.go();
    },
    leave: () => leave(guest),
  });
  /** Takes a process for a program that has a place. */
  const begin = async (workspaceId: number, options: PlaceOptions): Promise<Guest> => {
    const child = processes.provide(workspaceId);
    if (child.workspaceId === undefined) turnSince.set(child, performance.now());
    child.workspaceId = workspaceId;
    const guest = open(child, workspaceId, options);
    try {
      await processes.ready(child);
    } catch (error) {
      leave(guest);
      throw error;
    }
    enter(guest, "running");
    return guest;
  };

  return {
    take: async (workspaceId, options) => {
      const { signal } = options;
      if (isClosed) throw new Error(CLOSED);
      signal.throwIfAborted();
      const given = Promise.withResolvers<Guest>();
      let isOver = false;
      const refuse = (reason: unknown): void => {
        isOver = true;
        queue.remove(workspaceId, waiting);
        given.reject(reason);
      };
      const start = (): void => {
        const give = (guest: Guest) => (isOver ? leave(guest) : given.resolve(guest));
        void begin(workspaceId, options).then(give, refuse);
      };
      const waiting: Waiting = { isBegun: false, start, refuse };
      const cancel = (): void => refuse(signal.reason);
      const timer = setTimeout(() => refuse(new PoolFull(FULL)), MAX_WAIT_MS);
      signal.addEventListener("abort", cancel, { once: true });
      queue.push(workspaceId, waiting);
      serve();
      try {
        return placeOf(await given.promise);
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", cancel);
      }
    },
    state: {
      get processes() {
        return processes.size;
      },
      get busy() {
        return guests.size;
      },
      get parked() {
        return guests.values().reduce((count, { hasPlace }) => count + Number(!hasPlace), 0);
      },
      get waiting() {
        return queue.size;
      },
      killed: processes.killed,
    },
    close: async () => {
      isClosed = true;
      clearTimeout(turnTimer);
      for (const { refuse } of queue.clear()) refuse(new Error(CLOSED));
      await processes.close();
    },
  };
}

const CLOSED = "The sandbox is closed";

const heldUpMs = (guest: Guest): number =>
  guest.heldUpMs + (guest.state === "due" ? performance.now() - guest.since : 0);
