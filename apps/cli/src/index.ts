export * from "./config.ts";
export { loggerOptions } from "./logger.ts";
export * from "./process-metrics.ts";
export * from "./serve.ts";
