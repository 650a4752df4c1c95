export * from "./authorize.ts";
export * from "./errors.ts";
export * from "./router.ts";
export type { Call, KeptQuestion, ProcedureContext } from "./trpc.ts";
