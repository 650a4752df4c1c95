import type { KillReason } from "../contract.ts";
import type { Child } from "./child.ts";

/** A program's process, and its place among those that run. */
export interface Place {
  readonly child: Child;
  /** Milliseconds for which the program wanted a place again that it had before. */
  readonly heldUpMs: number;
  /** Gives the place back while the program waits. */
  park(): void;
  /** Waits for a place again, and calls `go` when there is one. */
  resume(go: () => void): void;
  /** The program ends: it does not wait for a place any more. */
  end(): void;
  /** Gives the process back: it waits for its next program, or was killed. */
  leave(): void;
}

export interface PlaceOptions {
  /** Ends the waiting for a first place. */
  readonly signal: AbortSignal;
  /** Ends a program that cannot continue, and says why. */
  readonly overload: (message: string) => void;
}

/** The places for programs, and the processes that they run in. */
export interface Pool {
  /**
   * Waits for a place for a workspace. Rejects with the signal's reason, with `PoolFull` after `MAX_WAIT_MS`,
   * and with an error if no process starts.
   */
  take(workspaceId: number, options: PlaceOptions): Promise<Place>;
  readonly state: {
    readonly processes: number;
    readonly busy: number;
    readonly parked: number;
    readonly waiting: number;
    readonly killed: Readonly<Record<KillReason, number>>;
  };
  close(): Promise<void>;
}
