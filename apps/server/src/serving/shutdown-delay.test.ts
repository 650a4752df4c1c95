import { expect, it } from "vitest";
import { readSettings } from "../config.ts";
import { shutdownDelayOf } from "./shutdown-delay.ts";

it.each([
  ["parley api waits for proxies", { api: true, worker: false }, {}, 3000],
  ["parley serve does not", { api: true, worker: true }, {}, 0],
  ["parley worker does not", { api: false, worker: true }, {}, 0],
  ["parley serve follows its setting", { api: true, worker: true }, { delay: "700" }, 700],
  ["parley api follows its setting", { api: true, worker: false }, { delay: "0" }, 0],
  ["parley worker ignores the setting", { api: false, worker: true }, { delay: "700" }, 0],
])(
  "%s before it stops accepting requests",
  (_name, parts, { delay }: { delay?: string }, expected) => {
    const settings = readSettings({ PARLEY_SHUTDOWN_DELAY_MS: delay });
    expect(shutdownDelayOf({ settings, parts })).toBe(expected);
  },
);
