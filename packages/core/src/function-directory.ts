import type { Core } from "./context.ts";
import {
  getSandboxFunction,
  type InvocableFunction,
  unknownFunction,
} from "./sandbox-functions.ts";
import { createTrusted } from "./trusted.ts";

/** Their schemas may be large. */
const MAX_FUNCTIONS = 500;

/** Finds the functions that are invoked. */
export interface FunctionDirectory {
  /**
   * The workspace's function with this id or slug, as it was a few seconds ago at most. Throws
   * `sandbox_function_not_found`, also where it is archived.
   */
  getActive(workspaceId: number, idOrSlug: string): Promise<InvocableFunction>;
  close(): void;
}

/** Makes the directory of a process; a change of a function in this process is in force at once. */
export function createFunctionDirectory(core: Core): FunctionDirectory {
  const load = async (key: string): Promise<InvocableFunction> => {
    const [workspaceId = "", idOrSlug = ""] = key.split(/ (.*)/s);
    return getSandboxFunction(core.database.db, Number(workspaceId), idOrSlug);
  };
  const trusted = createTrusted(core, "functions", load, MAX_FUNCTIONS);
  return {
    getActive: async (workspaceId, idOrSlug) => {
      const found = await trusted.get(`${workspaceId} ${idOrSlug}`);
      if (found?.status !== "active") throw unknownFunction();
      return found;
    },
    close: trusted.close,
  };
}
