import http from "node:http";
import type { Server } from "../server.ts";

/** What became of the requests of a crowd. */
export interface Outcomes {
  answered: number;
  /** Requests for which nobody listened any more. */
  refused: number;
  /** What went wrong with requests that were sent. */
  readonly broken: string[];
}

/** Answers after which the server is stopped. */
const ANSWERS = 200;

/**
 * Asks a server from many connections, kept alive and new ones, until nobody listens any more; stops
 * it in the middle of that.
 */
export async function askUntilGone(
  server: Pick<Server, "url" | "demo">,
  requests: readonly { readonly path: string; readonly body?: string }[],
  stop: () => void,
): Promise<Outcomes> {
  const outcomes: Outcomes = { answered: 0, refused: 0, broken: [] };
  const client = async (index: number): Promise<void> => {
    const keepAlive = index % 2 === 0;
    const agent = new http.Agent({ keepAlive, maxSockets: 1 });
    try {
      for (let count = index; ; count++) {
        const code = await ask(server, requests[count % requests.length]!, agent);
        if (code === "ECONNREFUSED") {
          outcomes.refused++;
          return;
        }
        if (code === undefined) {
          outcomes.answered++;
          if (outcomes.answered === ANSWERS) stop();
        } else outcomes.broken.push(code);
      }
    } finally {
      agent.destroy();
    }
  };
  await Promise.all(Array.from({ length: 40 }, (_, index) => client(index)));
  return outcomes;
}

/** Sends a request and reads its answer; gives the code of what broke it, or undefined. */
function ask(
  { url, demo }: Pick<Server, "url" | "demo">,
  { path, body }: { readonly path: string; readonly body?: string },
  agent: http.Agent,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message);
    const request = http.request(
      url + path,
      {
        agent,
        method: body === undefined ? "GET" : "POST",
        headers: {
          authorization: `Bearer ${demo.adminKey}`,
          "content-type": "application/json",
        },
      },
      (response) => {
        response.resume();
        response.once("error", fail);
        response.once("close", () => resolve(response.complete ? undefined : "cut short"));
      },
    );
    request.once("error", fail);
    request.end(body);
  });
}
