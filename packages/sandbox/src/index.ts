export { type BundleLimits, bundleProgram } from "./bundle/bundle-program.ts";
export * from "./contract.ts";
export { createSandbox } from "./create-sandbox.ts";
export { type ProgramLimits, runWatched } from "./processes/run-watched.ts";
