export { type BundleLimits, bundleProgram, collectPackages } from "./bundle/bundle-program.ts";
export * from "./contract.ts";
export { createSandbox } from "./create-sandbox.ts";
export { createExtractor, type ExtractText } from "./extract/create-extractor.ts";
export type { Extraction } from "./extract/question.ts";
export { type ProgramLimits, runWatched } from "./processes/run-watched.ts";
