export * from "./server/config.ts";
export { loggerOptions } from "./server/logger.ts";
export * from "./server/process-metrics.ts";
export * from "./server/serve.ts";
export { readVersion } from "./read-version.ts";
