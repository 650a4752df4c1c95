import type { E2bProgram } from "@parley/schema";
import type { Logger } from "pino";
import type { WorkerSettings } from "../config.ts";
import type { SandboxExecutor } from "../executor/executor.ts";

/**
 * The executor of programs of E2B as the settings say, loaded by the first execution. Without an API key every
 * execution fails as `not_supported`.
 */
export function createLazyE2bExecutor(
  settings: WorkerSettings,
  logger: Logger,
): SandboxExecutor<E2bProgram> {
  const { PARLEY_E2B_API_KEY: apiKey, PARLEY_E2B_DOMAIN: domain } = settings;
  let opening: Promise<SandboxExecutor<E2bProgram>> | undefined;
  const open = async (key: string): Promise<SandboxExecutor<E2bProgram>> => {
    const { createE2bExecutor } = await import("./e2b-executor.ts");
    return createE2bExecutor({
      connection: {
        apiKey: key,
        domain,
        apiUrl: settings.PARLEY_E2B_API_URL ?? `https://api.${domain}`,
        sandboxUrl: settings.PARLEY_E2B_SANDBOX_URL,
      },
      template: settings.PARLEY_E2B_TEMPLATE,
      logBytes: settings.PARLEY_SANDBOX_MAX_LOG_BYTES,
      onLeft: (sandboxId, err) =>
        logger.warn({ err, sandboxId }, "A sandbox of E2B could not be deleted"),
    });
  };
  return {
    async *execute(execution) {
      if (apiKey === undefined) {
        const message = "Functions of type e2b need the setting PARLEY_E2B_API_KEY";
        yield { type: "errored", error: { code: "not_supported", message } };
        return;
      }
      opening ??= open(apiKey);
      yield* (await opening).execute(execution);
    },
    close: async () => {
      await (await opening)?.close();
    },
  };
}
