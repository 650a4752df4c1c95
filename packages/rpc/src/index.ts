export { openFormMutation, recordMutation } from "./audited-mutations.ts";
export * from "./authorize.ts";
export * from "./errors.ts";
export * from "./router.ts";
export type {
  CacheableQuery,
  Call,
  NewSubscription,
  OpenSubscription,
  ProcedureContext,
} from "./procedure-context.ts";
