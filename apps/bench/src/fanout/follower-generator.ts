import { fileURLToPath } from "node:url";
import { type AskChild, askingChild } from "../child-requests.ts";
import { startProcess } from "../child-process.ts";
import { pinToCore } from "../pin.ts";
import type { FollowerRequests } from "./follower-process.ts";

/** The server is kept on the core before. */
const CORE = 1;

/** The process that follows. */
export interface FollowerGenerator {
  readonly pid: number;
  /** Whether it has a core of its own. */
  readonly isPinned: boolean;
  readonly ask: AskChild<FollowerRequests>;
}

/** Starts the process that follows, on a core of its own; it ends with `resources`. */
export async function startFollowerGenerator(
  resources: AsyncDisposableStack,
): Promise<FollowerGenerator> {
  const file = fileURLToPath(new URL("follower-process.ts", import.meta.url));
  const started = startProcess(resources, {
    name: "The followers",
    arguments: [file],
    messages: true,
  });
  const isPinned = await pinToCore(started.pid, CORE);
  return { pid: started.pid, isPinned, ask: askingChild(started) };
}
