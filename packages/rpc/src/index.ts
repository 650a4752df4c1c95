export { closeAct, openFormAct } from "./acts.ts";
export * from "./authorize.ts";
export * from "./errors.ts";
export * from "./router.ts";
export type {
  Call,
  KeptQuestion,
  NewSubscription,
  OpenSubscription,
  ProcedureContext,
} from "./trpc.ts";
