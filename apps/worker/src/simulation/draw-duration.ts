import { MAX_SIMULATED_MS, type SimulatedDuration } from "@parley/schema";
import type { Draw } from "./seeds.ts";

/** Draws a duration, in whole milliseconds. A fixed one does not start draws. */
export function drawDuration(duration: SimulatedDuration, startDraws: () => Draw): number {
  if (typeof duration === "number") return duration;
  const { distribution } = duration;
  if (distribution === "fixed") return duration.valueMs;
  const draw = startDraws();
  const { minMs = 0, maxMs = MAX_SIMULATED_MS } = duration;
  const drawn = (): number => {
    if (distribution === "uniform") return minMs + draw() * (maxMs - minMs);
    if (distribution === "exponential") return -Math.log(1 - draw()) * duration.meanMs;
    const normal = Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());
    return distribution === "normal"
      ? duration.meanMs + normal * duration.deviationMs
      : duration.medianMs * Math.exp(normal * duration.sigma);
  };
  return Math.min(maxMs, Math.max(minMs, Math.round(drawn())));
}
