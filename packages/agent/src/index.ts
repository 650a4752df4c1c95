export * from "./prompt.ts";
export * from "./provider.ts";
export * from "./simulated.ts";
export * from "./skills.ts";
export * from "./turn.ts";
