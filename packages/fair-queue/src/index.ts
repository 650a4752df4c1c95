export * from "./fair-places.ts";
export * from "./fair-queue.ts";
