export * from "./config.ts";
export { hasConsole } from "./console/console.ts";
export * from "./server.ts";
