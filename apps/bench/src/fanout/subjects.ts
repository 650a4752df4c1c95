import { pinToCore, startListening } from "../child-process.ts";
import { askingChild } from "../child-requests.ts";
import { adoptFloor, ownFloor } from "../floor.ts";
import { openConnection } from "../load/http-connection.ts";
import { addressOf, formatGet, formatPost } from "../load/plan.ts";
import {
  type PublisherRequests,
  publishOneByOne,
  type PublishPlan,
  runPublishPlan,
} from "./publish-plan.ts";

/** The core that servers are kept on; those who follow have the next one. */
export const SERVER_CORE = 0;

/** A running server whose logs are followed. */
export interface FanoutSubject {
  readonly pid: number;
  readonly port: number;
  /** Process ids of its database's backends. */
  readonly backends: () => Promise<number[]>;
  /** Makes logs that nobody follows yet, and gives their ids. */
  openLogs(count: number): Promise<string[]>;
  /** What a follower of the log sends. */
  followRequest(log: string): string;
  /** Publishes; gives the time of each round. */
  publish(plan: PublishPlan): Promise<number[]>;
  /** Has it collect its garbage, if it makes any. */
  collectGarbage(): Promise<void>;
}

/** A kind of server that can be started any number of times. */
export interface FanoutServer {
  readonly name: string;
  /** Whether it stores events, which has a cost of its own. */
  readonly appends?: true;
  start(resources: AsyncDisposableStack): Promise<FanoutSubject>;
}

/** Our floor, which publishes by itself. */
export const floor: FanoutServer = {
  name: "floor",
  start: async (resources) => {
    const started = await startListening(resources, {
      name: "The floor",
      argumentsFor: (port) => ["--expose-gc", ownFloor("raw-sse"), String(port)],
      messages: true,
    });
    await pinToCore(started.pid, SERVER_CORE);
    const ask = askingChild<PublisherRequests>(started);
    return {
      ...channels(started.port),
      pid: started.pid,
      publish: (plan) => ask("publish", plan),
      collectGarbage: () => ask("collectGarbage"),
    };
  },
};

/** Our floor, published to by POST. */
export const postedFloor: FanoutServer = {
  name: "floor by POST",
  start: async (resources) => withPosts(await floor.start(resources)),
};

export const REFERENCE = "reference by POST";

/** Another floor of one channel, published to by POST; `file` takes its port as argument. */
export function referenceFloor(file: string): FanoutServer {
  return {
    name: REFERENCE,
    start: async (resources) => {
      const copy = await adoptFloor(resources, file);
      const { pid, port } = await startListening(resources, {
        name: `The floor ${file}`,
        argumentsFor: (free) => [copy, String(free)],
      });
      await pinToCore(pid, SERVER_CORE);
      return withPosts({ ...channels(port), pid, collectGarbage: async () => {} });
    },
  };
}

/** Publishes for a server that takes events by POST, each at the url of its log. */
export async function publishByPost(
  plan: PublishPlan,
  urlOf: (log: string) => URL,
): Promise<number[]> {
  const urls = new Map(plan.logs.map((log) => [log, urlOf(log)]));
  const [first = urlOf("")] = urls.values();
  const { host, port } = addressOf(first);
  const connection = await openConnection(host, port);
  try {
    // The connection carries one request at a time.
    return await runPublishPlan({ ...plan, atOnce: 1 }, (round) =>
      publishOneByOne(round, async (log, event) => {
        const url = urls.get(log) ?? urlOf(log);
        const { status, body } = await connection.send(Buffer.from(formatPost(url, {}, event)));
        if (status >= 300) throw new Error(`Publishing got ${status}: ${body.toString()}`);
      }),
    );
  } finally {
    connection.close();
  }
}

function withPosts(subject: Omit<FanoutSubject, "publish">): FanoutSubject {
  const urlOf = (log: string) => localUrl(subject.port, `/${log}`);
  return { ...subject, publish: (plan) => publishByPost(plan, urlOf) };
}

/** The parts of a server that knows channels by name, without asking for more. */
export function channels(port: number, prefix = "") {
  let made = 0;
  return {
    port,
    backends: async () => [],
    openLogs: async (count: number) => Array.from({ length: count }, () => `log${made++}`),
    followRequest: (log: string) => formatFollow(localUrl(port, `${prefix}/${log}`)),
  };
}

/** A url of this machine. */
export function localUrl(port: number, path: string): URL {
  return new URL(path, `http://127.0.0.1:${port}`);
}

/** The request that opens a stream, as it goes over the wire. */
export function formatFollow(url: URL, headers: Readonly<Record<string, string>> = {}): string {
  return formatGet(url, { Accept: "text/event-stream", ...headers });
}
