import { nextSlot, parseCron, type Schedule } from "../src/index.ts";

export const cronOf = (text: string, timezone: string): Schedule => ({
  kind: "cron",
  cron: parseCron(text),
  timezone,
});

export const toText = (slot: number | null) =>
  slot === null ? null : new Date(slot).toISOString().replace(":00.000Z", "Z");

/** As many slots as are wanted, one after the other. */
export function slotsAfter(schedule: Schedule, after: string, count: number): (string | null)[] {
  const slots: (number | null)[] = [];
  let slot: number | null = Date.parse(after);
  while (slot !== null && slots.length < count) {
    slot = nextSlot(schedule, slot);
    slots.push(slot);
  }
  return slots.map(toText);
}
