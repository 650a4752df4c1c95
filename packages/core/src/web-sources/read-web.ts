import type { Process } from "../context.ts";
import { type Job, threadModule } from "../untrusted/job.ts";
import { BrokenCall } from "../untrusted/threads.ts";
import type { askRobots, readPage, readSitemap } from "./read-web-thread.ts";

const url = threadModule("read-web-thread", import.meta.url);
const of = <Work extends (input: never) => unknown>(
  name: string,
  deadlineMs: number,
): Job<Parameters<Work>[0], ReturnType<Work>> => ({ url, name, deadlineMs });

// A page of a megabyte with one element in another takes 2 s.
const pageJob = of<typeof readPage>("readPage", 10_000);
const sitemapJob = of<typeof readSitemap>("readSitemap", 10_000);
const robotsJob = of<typeof askRobots>("askRobots", 5000);

interface Asking {
  readonly workspaceId: number;
  readonly signal: AbortSignal;
}

/** What was read, or why a stranger's text could not be. */
type Read<Value> = { readonly value: Value } | { readonly failure: string };

const reading =
  <Input, Output>(job: Job<Input, Output>, what: string) =>
  async (
    { threads }: Pick<Process, "threads">,
    input: Input,
    { workspaceId, signal }: Asking,
  ): Promise<Read<Output>> => {
    try {
      const outcome = await threads.call(job, input, { workspaceId, origin: "run", signal });
      if ("value" in outcome) return outcome;
      const why = outcome.failure === "too slow" ? "takes too long" : "takes too much memory";
      return { failure: `${what} ${why} to be read` };
    } catch (error) {
      if (error instanceof BrokenCall) return { failure: `${what} cannot be read` };
      throw error;
    }
  };

/** Reads a page in a thread. */
export const readWebPage = reading(pageJob, "The page");
/** Reads a sitemap in a thread. */
export const readWebSitemap = reading(sitemapJob, "The sitemap");
/** Asks a robots.txt in a thread whether a page may be read. */
export const askWebRobots = reading(robotsJob, "robots.txt");
