export * from "./fair-bytes.ts";
export * from "./fair-queue.ts";
