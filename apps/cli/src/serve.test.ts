import { expect, it } from "vitest";
import { readSettings } from "./config.ts";
import { shutdownDelayOf } from "./serve.ts";

it.each([
  ["parley api waits for proxies to notice", { api: true, worker: false }, {}, 3000],
  ["parley serve does not", { api: true, worker: true }, {}, 0],
  ["parley worker has nobody to wait for", { api: false, worker: true }, {}, 0],
  ["parley serve does as it is told", { api: true, worker: true }, { delay: "700" }, 700],
  ["parley api does as it is told", { api: true, worker: false }, { delay: "0" }, 0],
  ["parley worker cannot be told", { api: false, worker: true }, { delay: "700" }, 0],
])(
  "%s before it stops taking requests",
  (_name, parts, { delay }: { delay?: string }, expected) => {
    const settings = readSettings({ PARLEY_SHUTDOWN_DELAY_MS: delay });
    expect(shutdownDelayOf({ settings, parts })).toBe(expected);
  },
);
