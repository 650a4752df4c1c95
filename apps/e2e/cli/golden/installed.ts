import { readFile, writeFile } from "node:fs/promises";
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { createFolder, install, pack, publishedAs } from "../../packaging/packed.ts";
import { eventually } from "../../programs.ts";
import { installedFolder } from "./remove-installed.ts";

/**
 * The main file of the packed `parley`, installed in an empty folder with what it depends on. The first process of a
 * run installs it, and the others wait for it; it is removed with the run's build.
 */
export async function installParley(build: string): Promise<string> {
  const folder = installedFolder(build);
  const done = path.join(folder, "done");
  if (isFirst(folder)) {
    await using packed = await createFolder();
    const tarball = await pack(publishedAs("parley-server"), packed);
    const write = async (file: string, text: string) => writeFile(path.join(folder, file), text);
    const into = { ...packed, path: folder, write };
    await install(into, tarball).then(
      () => write("done", "whole"),
      async (error: unknown) => {
        await write("done", String(error));
        throw error;
      },
    );
  }
  const state = await eventually(async () => {
    const text = existsSync(done) ? await readFile(done, "utf8") : "";
    return text === "" ? {} : { value: text };
  }, 300_000);
  if (state !== "whole") throw new Error(`parley could not be installed: ${state}`);
  return path.join(folder, "node_modules/parley-server/dist/bin/parley.js");
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}
