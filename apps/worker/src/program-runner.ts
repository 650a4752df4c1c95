import { type Core, readFunctionSecrets } from "@parley/core";
import type { StoredProgram } from "@parley/schema";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import type { WorkerSettings } from "./config.ts";
import { createLazyE2bExecutor } from "./e2b/lazy-e2b-executor.ts";
import type { SandboxExecutor } from "./executor/executor.ts";
import { type CodeRunner, createCodeRunner } from "./javascript/code-runner.ts";
import { createSimulatedExecutor } from "./simulation/simulated-executor.ts";
import { createMcpExecutor } from "./tools/mcp-executor.ts";

type Executors = {
  readonly [T in StoredProgram["type"]]: SandboxExecutor<Extract<StoredProgram, { type: T }>>;
};

/** Runs all programs: each on the executor of its type, code in the sandbox on that of the runner. */
export interface ProgramRunner extends Omit<CodeRunner, "executor"> {
  readonly executor: SandboxExecutor;
}

/** Makes the executors as the settings say; each loads what it needs at its first execution. */
export function createProgramRunner({
  core,
  settings,
  logger,
  registry,
}: {
  core: Core;
  settings: WorkerSettings;
  logger: Logger;
  registry: Registry;
}): ProgramRunner {
  const { threads } = core;
  const code = createCodeRunner({
    settings,
    logger,
    registry,
    threads,
    readSecrets: (...named) => readFunctionSecrets(core, ...named),
  });
  const tools = createMcpExecutor(core);
  const executors: Executors = {
    javascript: code.executor,
    e2b: createLazyE2bExecutor(settings, logger),
    simulated: createSimulatedExecutor(threads, settings.PARLEY_SIMULATION_TIME_SCALE),
    mcp: tools,
    client: tools,
  };
  return {
    ...code,
    executor: {
      execute: (execution) => {
        const executor: SandboxExecutor = executors[execution.program.type];
        return executor.execute(execution);
      },
      close: async () => {
        const all = new Set<SandboxExecutor>(Object.values(executors));
        await Promise.all([...all].map((executor) => executor.close()));
      },
    },
  };
}
