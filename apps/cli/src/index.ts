export * from "./config.ts";
export * from "./process-metrics.ts";
export * from "./serve.ts";
