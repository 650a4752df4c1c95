import { copyFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { makeDirectory, startListening } from "./child-process.ts";

/** A program that does the least work that an operation needs, to measure the server against. */
export interface Floor {
  readonly pid: number;
  readonly url: string;
}

/** Starts a floor on a database. It takes its port as argument, and listens once it is ready. */
export async function startFloor(
  resources: AsyncDisposableStack,
  file: string,
  databaseUrl: string,
): Promise<Floor> {
  const { pid, port } = await startListening(resources, {
    name: `The floor ${file}`,
    argumentsFor: (free) => [file, String(free)],
    environment: { DATABASE_URL: databaseUrl },
  });
  return { pid, url: `http://127.0.0.1:${port}` };
}

/** Path of one of our own floors, by its name. */
export function ownFloor(name: string): string {
  return fileURLToPath(new URL(`floors/${name}.ts`, import.meta.url));
}

/** Copies a floor from elsewhere to where its imports resolve, until `resources` are given back. */
export async function adoptFloor(resources: AsyncDisposableStack, file: string): Promise<string> {
  const modules = fileURLToPath(new URL("../node_modules", import.meta.url));
  const directory = await makeDirectory(resources, path.join(modules, ".floor-"));
  const copy = path.join(directory, path.basename(file));
  await copyFile(file, copy);
  return copy;
}
