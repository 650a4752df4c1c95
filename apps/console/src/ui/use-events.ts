import type { Follower, FollowOptions } from "parley-client";
import { useEffect, useRef, useState } from "react";

/** An event of a stream with its number in the log. */
export interface NumberedEvent<E> {
  readonly number: string;
  readonly event: E;
}

interface FollowedEvents<E> {
  readonly events: readonly NumberedEvent<E>[];
  /** Whether the stream has ended. */
  readonly isOver: boolean;
  readonly error: Error | undefined;
}

/** The maximum number of kept events: of longer logs, the newest ones. */
const MAX_EVENTS = 10_000;

/**
 * Follows a stream while the component is mounted, and restarts when `of` changes. Events between two frames are
 * rendered together.
 */
export function useEvents<E>(
  of: readonly (string | undefined)[],
  follow: (options: FollowOptions) => Follower<E>,
): FollowedEvents<E> {
  const [state, setState] = useState<FollowedEvents<E>>(nothing);
  const latest = useRef(follow);
  useEffect(() => {
    latest.current = follow;
  });
  const key = JSON.stringify(of);
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    let arrived: NumberedEvent<E>[] = [];
    let frame: number | undefined;
    const publish = (changed: Partial<FollowedEvents<E>> = {}) => {
      frame = undefined;
      const added = arrived;
      arrived = [];
      setState(({ events, ...rest }) => ({
        ...rest,
        ...changed,
        events: added.length === 0 ? events : [...events, ...added].slice(-MAX_EVENTS),
      }));
    };
    const read = async () => {
      const follower = latest.current({ signal, reconnectForMs: Infinity });
      for await (const event of follower) {
        arrived.push({ number: follower.lastEventId, event });
        frame ??= requestAnimationFrame(() => publish());
      }
    };
    setState(nothing);
    read().then(
      () => !signal.aborted && publish({ isOver: true }),
      (error: unknown) => !signal.aborted && publish({ isOver: true, error: error as Error }),
    );
    return () => {
      leaving.abort();
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, [key]);
  return state;
}

const nothing = { events: [], isOver: false, error: undefined };
