export * from "./fake-service.ts";
