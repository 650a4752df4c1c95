export * from "./config.ts";
export type { ConsoleBuild } from "./console/build-page.ts";
export { hasConsole } from "./console/console.ts";
export { createDocument } from "./reference/document.ts";
export * from "./server.ts";
