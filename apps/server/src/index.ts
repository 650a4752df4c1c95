export * from "./config.ts";
export { loggerOptions } from "./log/logger.ts";
export * from "./metrics/process-metrics.ts";
export * from "./serving/serve.ts";
