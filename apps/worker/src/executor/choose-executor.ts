import type {
  ClientProgram,
  E2bProgram,
  McpProgram,
  SimulatedProgram,
  StoredJavaScript,
} from "@parley/schema";
import type { SandboxExecutor } from "./executor.ts";

/** An executor for each type of program. */
export interface Executors {
  readonly simulated: SandboxExecutor<SimulatedProgram>;
  readonly javascript: SandboxExecutor<StoredJavaScript>;
  readonly e2b: SandboxExecutor<E2bProgram>;
  readonly mcp: SandboxExecutor<McpProgram | ClientProgram>;
}

/** The executor of all programs: each runs on that of its type. */
export function chooseExecutor({ simulated, javascript, e2b, mcp }: Executors): SandboxExecutor {
  return {
    execute: ({ program, ...execution }) => {
      if (program.type === "simulated") return simulated.execute({ ...execution, program });
      if (program.type === "javascript") return javascript.execute({ ...execution, program });
      if (program.type === "e2b") return e2b.execute({ ...execution, program });
      return mcp.execute({ ...execution, program });
    },
    close: async () => {
      await Promise.all([simulated.close(), javascript.close(), e2b.close(), mcp.close()]);
    },
  };
}
