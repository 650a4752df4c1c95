/** Ends a call when the service sends nothing while the consumer waits for it. */
export interface SilenceWatch {
  /** Starts to count silence: the consumer waits. */
  wait(): void;
  /** Stops counting: a part came, and its consumer may take its time. */
  heard(): void;
  end(): void;
}

/** Creates a watch that calls `onSilence` after `idleMs` without a part while the consumer waits. */
export function watchSilence(idleMs: number, onSilence: () => void): SilenceWatch {
  let waits = false;
  // Parts that came while the process was blocked are read first.
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
