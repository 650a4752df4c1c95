import { askWebRobots, type Core, type Refresh } from "@parley/core";
import type { Guard } from "@parley/guarded-fetch";
import { requestPage } from "./request-page.ts";

/** As much as readers have to take of a robots.txt (RFC 9309). */
const MAX_CHARACTERS = 500 * 1024;
const MAX_REDIRECTS = 5;
/** The longest time between two pages that is waited. */
const MAX_DELAY_MS = 10_000;

/** What robots.txt says of a page: why it is not to be read, or how long to wait before it. */
type Permission = { readonly refusal: string } | { readonly delayMs: number };

/** Asks the robots.txt of one origin. */
export interface Robots {
  ask(url: string): Promise<Permission>;
}

interface Given {
  readonly core: Core;
  readonly guard: Guard;
  readonly refresh: Refresh;
  readonly signal: AbortSignal;
}

/** Reads the robots.txt of a web source. One that is not there allows all; one that cannot be read allows nothing. */
export async function readRobots(given: Given): Promise<Robots | { readonly failure: string }> {
  const { core, guard, refresh, signal } = given;
  const robotsUrl = new URL("/robots.txt", refresh.source.url).href;
  let url = robotsUrl;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    // oxlint-disable-next-line no-await-in-loop -- where one redirects to is asked after it
    const answer = await requestPage(guard, { url, signal });
    if ("failure" in answer) return { failure: `robots.txt cannot be read: ${answer.failure}` };
    const { status, location, body } = answer;
    const target = location === undefined ? null : URL.parse(location, url);
    if (target !== null) {
      url = target.href;
      continue;
    }
    if (status >= 500 || status === 429) {
      return { failure: `robots.txt cannot be read: the server answered ${status}` };
    }
    const rules = status >= 400 ? "" : body.slice(0, MAX_CHARACTERS);
    return {
      ask: async (page) => {
        const { workspaceId } = refresh.run;
        const question = { rules, robotsUrl, url: page };
        const asked = await askWebRobots(core, question, { workspaceId, signal });
        if ("failure" in asked) return { refusal: asked.failure };
        if (!asked.value.isAllowed) return { refusal: "robots.txt does not allow it" };
        return { delayMs: Math.min(asked.value.delaySeconds * 1000, MAX_DELAY_MS) };
      },
    };
  }
  return { failure: `robots.txt redirects more than ${MAX_REDIRECTS} times` };
}
