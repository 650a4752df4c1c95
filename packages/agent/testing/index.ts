export * from "./fake-embeddings.ts";
export * from "./fake-service.ts";
