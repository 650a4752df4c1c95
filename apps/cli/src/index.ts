export { type Connect, connectClients } from "./connection/clients.ts";
export { createContext, createProgram } from "./program.ts";
export { readVersion } from "./read-version.ts";
export { runProgram } from "./run-program.ts";
