import { mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { CommandError } from "@parley/command/command-error";
import { printLine } from "@parley/command/print";
import { renderTemplate } from "./function-template.ts";
import type { Context } from "../connection/context.ts";

/** Writes the folder of a small function that works. Throws `CommandError` if the folder has files. */
export async function initFunction(
  context: Context,
  folder: string,
  options: { readonly javascript?: true },
): Promise<void> {
  const { io } = context;
  await mkdir(folder, { recursive: true });
  const [first] = await readdir(folder);
  if (first !== undefined) {
    throw new CommandError(`${folder}: already has ${first}; choose a new or empty folder`);
  }
  const language = options.javascript === true ? "javascript" : "typescript";
  const files = renderTemplate({ slug: slugOf(path.resolve(folder)), language });
  for (const [name, text] of Object.entries(files)) {
    const place = path.join(folder, name);
    await writeFile(place, text, { flag: "wx" });
    printLine(io, `created: ${place}`);
  }
}

/** The name of a folder, in words as slugs have them. */
function slugOf(folder: string): string {
  const words = path
    .basename(folder)
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? ["function"];
  return words.join("-").slice(0, 255).replace(/-$/, "");
}
