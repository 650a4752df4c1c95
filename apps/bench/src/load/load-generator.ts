import { fileURLToPath } from "node:url";
import { startProcess } from "../child-process.ts";
import type { LoadMessage, LoadPlan, LoadResult } from "./plan.ts";

/** The process that makes the load. */
export interface LoadGenerator {
  readonly pid: number;
  /** Does a plan; `onWindow` is told when the window that counts opens and when it closes. */
  run(plan: LoadPlan, onWindow: (state: "opened" | "closed") => void): Promise<LoadResult>;
}

/** A program that does plans by itself, in place of asking a server. */
export interface OwnGenerator {
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts the process that makes the load; it ends with `resources`. */
export function startLoadGenerator(
  resources: AsyncDisposableStack,
  own?: OwnGenerator,
): LoadGenerator {
  const file = own?.file ?? fileURLToPath(new URL("generator.ts", import.meta.url));
  const { child, pid } = startProcess(resources, {
    name: "The load generator",
    arguments: [file],
    environment: own?.environment ?? {},
    messages: true,
  });
  return {
    pid,
    run: async (plan, onWindow) => {
      const { promise, resolve, reject } = Promise.withResolvers<LoadResult>();
      const listen = (message: LoadMessage): void => {
        if (message.type === "window opened") onWindow("opened");
        else if (message.type === "window closed") onWindow("closed");
        else if (message.type === "finished") resolve(message.result);
        else reject(new Error(message.message));
      };
      const end = () => reject(new Error("The load generator ended"));
      child.on("message", listen);
      child.once("exit", end);
      child.send(plan);
      try {
        return await promise;
      } finally {
        child.off("message", listen);
        child.off("exit", end);
      }
    },
  };
}
