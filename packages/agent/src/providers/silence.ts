/** Ends a call when the service says nothing while somebody waits for it. */
export interface SilenceWatch {
  /** Somebody waits from now on. */
  wait(): void;
  /** Something came; what its reader does with it may take its time. */
  heard(): void;
  end(): void;
}

/** Makes a watch that calls `onSilence` when nothing came for `idleMs` to who waits. */
export function watchSilence(idleMs: number, onSilence: () => void): SilenceWatch {
  let waits = false;
  // What came while the process stood still is read first.
  const look = () => void (waits && setImmediate(() => waits && onSilence()));
  const timer = setTimeout(look, idleMs);
  return {
    wait: () => {
      waits = true;
      timer.refresh();
    },
    heard: () => void (waits = false),
    end: () => {
      waits = false;
      clearTimeout(timer);
    },
  };
}
