export * from "./follow.ts";
export * from "./rest.ts";
export * from "./rpc.ts";
