import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Time between two questions; each costs PostgreSQL a process. */
const LOOK_MS = 2000;
/** Time for an answer; a machine that is merely slow must not restart its database. */
const ANSWER_MS = 10_000;
/** Looks in succession that must find the same. */
const LOOKS = { absent: 2, silent: 3 };
/** Errors of a socket that is removed, or that nobody listens to. A full queue is another one. */
const ABSENT = new Set(["ENOENT", "ECONNREFUSED", "ENOTSOCK", "ENOTDIR"]);
/** Asks whether the server encrypts, which it answers with one byte before anything else. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

type State = "answers" | keyof typeof LOOKS;

/**
 * Resolves with the reason once PostgreSQL answers no longer at a socket path, or at a port of the loopback:
 * it may run and yet be out of reach, as when a cleaner has removed the socket. Ends without a result when
 * `signal` is aborted.
 */
export async function whenUnreachable(
  at: string | number,
  signal: AbortSignal,
): Promise<string | undefined> {
  let last: State = "answers";
  for (let looks = 0; ;) {
    await sleep(LOOK_MS, undefined, { signal, ref: false }).catch(() => {});
    const state = signal.aborted ? "answers" : await look(at);
    if (signal.aborted) return undefined;
    looks = state === last ? looks + 1 : 1;
    last = state;
    if (state === "answers" || looks < LOOKS[state]) continue;
    return state === "absent" ? "its socket is gone" : "it does not answer at its socket";
  }
}

async function look(at: string | number): Promise<State> {
  const socket = typeof at === "string" ? connect(at) : connect(at, "127.0.0.1");
  try {
    return await new Promise<State>((resolve) => {
      socket.setTimeout(ANSWER_MS, () => resolve("silent"));
      socket.once("error", ({ code = "" }: NodeJS.ErrnoException) =>
        resolve(ABSENT.has(code) ? "absent" : "silent"),
      );
      socket.once("data", () => resolve("answers"));
      socket.once("close", () => resolve("silent"));
      socket.write(SSL_REQUEST);
    });
  } finally {
    socket.on("error", () => {}).destroy();
  }
}
