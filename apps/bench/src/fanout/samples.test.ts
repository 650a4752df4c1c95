import { expect, test } from "vitest";
import { costDeliveries, type FanoutSample } from "./samples.ts";

const sample = (events: number, deliveries: number, serverMs: number): FanoutSample => ({
  events,
  deliveries,
  cpuMs: { server: serverMs },
  perSecond: 0,
  p50Ms: 1,
  p99Ms: 2,
  othersShare: 0,
});

test("a delivery costs what is left without publishing, round by round", () => {
  const followed = [sample(10, 1000, 20), sample(10, 1000, 30)];
  const alone = [sample(10, 0, 5), sample(20, 0, 20)];
  expect(costDeliveries(followed, alone)).toEqual([
    { serverMicros: 20, deliveryMicros: 15, p99Ms: 2 },
    { serverMicros: 30, deliveryMicros: 20, p99Ms: 2 },
  ]);
});

test("if nothing is stored, a delivery costs all", () => {
  const [cost] = costDeliveries([sample(10, 1000, 20)], []);
  expect(cost).toMatchObject({ serverMicros: 20, deliveryMicros: 20 });
});
