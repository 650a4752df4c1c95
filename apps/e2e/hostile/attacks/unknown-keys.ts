import { setTimeout as sleep } from "node:timers/promises";
import { generateApiKey } from "@parley/core";
import { expect } from "vitest";
import type { Attack } from "../attack.ts";

const AT_ONCE = 16;
const ATTACK_MS = 20_000;
/** Between two requests of a connection: together they send about 530 a second. */
const PAUSE_MS = 28;

/** Somebody at the bystander's address guesses keys. */
export const unknownKeys: Attack = {
  name: "530 unknown keys a second, from the same address",
  run: async ({ urls, workspaceId }) => {
    const until = performance.now() + ATTACK_MS;
    const statuses = new Set<number>();
    const guess = async (_: unknown, index: number): Promise<void> => {
      for (let turn = index; performance.now() < until; turn++) {
        const url = `${urls[turn % urls.length]}/api/v1/w/${workspaceId}/skills`;
        const headers = { authorization: `Bearer ${generateApiKey()}` };
        const answer = await fetch(url, { headers });
        await answer.arrayBuffer();
        statuses.add(answer.status);
        await sleep(PAUSE_MS);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, guess));
    expect(statuses).toEqual(new Set([401, 429]));
  },
};
