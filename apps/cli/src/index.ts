export { type Connect, connectClients } from "./connection/clients.ts";
export { examplesOf } from "./examples/examples-of.ts";
export { createContext, createProgram } from "./program.ts";
export { readVersion } from "./read-version.ts";
export { runProgram } from "./run-program.ts";
