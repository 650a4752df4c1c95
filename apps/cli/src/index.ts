export * from "./config.ts";
export * from "./serve.ts";
