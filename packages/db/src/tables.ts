export * from "./tables/agents.ts";
export * from "./tables/audit.ts";
export * from "./tables/conversations.ts";
export * from "./tables/data-sources.ts";
export * from "./tables/logs.ts";
export * from "./tables/sandbox-functions.ts";
export * from "./tables/skills.ts";
export * from "./tables/workspaces.ts";
