import type { ClientProgram, McpProgram, Program } from "@parley/schema";
import type { SandboxExecutor } from "./executor.ts";

/** An executor for each type of program. */
export interface Executors {
  readonly simulated: SandboxExecutor<Program>;
  readonly mcp: SandboxExecutor<McpProgram | ClientProgram>;
}

/** The executor of all programs: each runs on that of its type. */
export function chooseExecutor({ simulated, mcp }: Executors): SandboxExecutor {
  return {
    execute: ({ program, ...execution }) =>
      program.type === "simulated"
        ? simulated.execute({ ...execution, program })
        : mcp.execute({ ...execution, program }),
    close: async () => {
      await Promise.all([simulated.close(), mcp.close()]);
    },
  };
}
