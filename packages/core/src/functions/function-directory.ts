import type { Process } from "../context.ts";
import { createReadThroughCache } from "../data-access/read-through-cache.ts";
import {
  getSandboxFunction,
  type InvocableFunction,
  unknownFunction,
} from "./sandbox-functions.ts";

/** Their schemas may be large. */
const MAX_FUNCTIONS = 500;

/** Finds the functions that are invoked. */
export interface FunctionDirectory {
  /**
   * The workspace's function with this id or slug, as it was a few seconds ago at most. Throws
   * `sandbox_function_not_found`, also if it is archived.
   */
  getActive(workspaceId: number, idOrSlug: string): Promise<InvocableFunction>;
  close(): void;
}

/** What finds the functions that requests name. */
export interface FunctionLookUp {
  readonly functions: FunctionDirectory;
}

/** Makes the directory of a process; a change of a function in this process is in force at once. */
export function createFunctionDirectory(core: Process): FunctionDirectory {
  const load = async (key: string): Promise<InvocableFunction> => {
    const [workspaceId = "", idOrSlug = ""] = key.split(/ (.*)/s);
    return getSandboxFunction(core.database.db, Number(workspaceId), idOrSlug);
  };
  const cache = createReadThroughCache(core.now, {
    subscribe: (onChange) => core.bus.subscribe("functions", onChange),
    load,
    isAffected: (workspaceId, key) => key.startsWith(`${workspaceId} `),
    max: MAX_FUNCTIONS,
  });
  return {
    getActive: async (workspaceId, idOrSlug) => {
      const found = await cache.get(`${workspaceId} ${idOrSlug}`);
      if (found?.status !== "active") throw unknownFunction();
      return found;
    },
    close: cache.close,
  };
}
