import { createParley, type ParleyOptions } from "parley-client";
import type { Server } from "../server.ts";

/** Returns a function that creates clients of the demo workspace, with the options that are given. */
export function createClientOf(server: () => Server) {
  return (options: Partial<ParleyOptions> = {}) => {
    const { url, workspaceId, userKey } = server().demo;
    return createParley({ baseUrl: url, workspaceId, apiKey: userKey, ...options });
  };
}

/** Numbers below a bound, the same in each run. */
export function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
