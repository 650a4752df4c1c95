import type { McpProgram, Program } from "@parley/schema";
import type { SandboxExecutor } from "./executor.ts";

/** An executor for each type of program. */
export interface Executors {
  readonly simulated: SandboxExecutor<Program>;
  readonly mcp: SandboxExecutor<McpProgram>;
}

/** The executor of all programs: each runs on that of its type. */
export function chooseExecutor({ simulated, mcp }: Executors): SandboxExecutor {
  return {
    execute: ({ program, ...execution }) =>
      program.type === "mcp"
        ? mcp.execute({ ...execution, program })
        : simulated.execute({ ...execution, program }),
    close: async () => {
      await Promise.all([simulated.close(), mcp.close()]);
    },
  };
}
