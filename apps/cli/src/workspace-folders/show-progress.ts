import { type Progress, startProgress } from "../terminal/progress.ts";
import type { Io } from "../io.ts";

/** Less is done before anybody looks. */
const FEW = 10;

/** Shows the progress of work on many things; nothing for a few. */
export function showProgress(
  io: Io,
  label: string,
  { total, unit }: { total: number; unit: string },
): Progress {
  if (total > FEW) return startProgress(io, { label, total, unit });
  return { advance: () => {}, stop: () => {} };
}
