export * from "./fair-queue.ts";
