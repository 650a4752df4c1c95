/** Aborts its signal when nothing has happened for a while. */
export interface IdleTimer {
  readonly signal: AbortSignal;
  restart(): void;
  stop(): void;
}

/** Starts a timer that aborts once `timeoutMs` pass without a restart; never without a timeout. */
export function createIdleTimer(timeoutMs: number | undefined): IdleTimer {
  const timeout = new AbortController();
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => timeout.abort(), timeoutMs);
  return {
    signal: timeout.signal,
    restart: () => void timer?.refresh(),
    stop: () => clearTimeout(timer),
  };
}
