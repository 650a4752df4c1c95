export * from "./contract.ts";
export { type CountFitting, countModule } from "./count-tokens.ts";
export * from "./prompt.ts";
export * from "./provider.ts";
export * from "./simulated.ts";
export * from "./skills.ts";
export * from "./providers/access.ts";
export * from "./providers/service-provider.ts";
export * from "./turn.ts";
