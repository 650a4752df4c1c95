export { type BundleLimits, bundleProgram } from "./bundle/bundle-program.ts";
export * from "./contract.ts";
export { createSandbox } from "./create-sandbox.ts";
