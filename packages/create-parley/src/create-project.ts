import { cp, mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const template = fileURLToPath(new URL("../template", import.meta.url));
const manifest = fileURLToPath(new URL("../package.json", import.meta.url));

/** A folder that a project cannot be made in; the message says why. */
export class UnusableFolder extends Error {}

/**
 * Makes a project in a new or empty folder, whose name is that of its package. Its packages of Parley have this package's
 * version. Throws `UnusableFolder`, and errors of the file system.
 */
export async function createProject(folder: string): Promise<void> {
  const name = nameOf(folder);
  await mkdir(folder, { recursive: true });
  const [first] = await readdir(folder);
  if (first !== undefined) {
    throw new UnusableFolder(`${folder} already has ${first}: choose a new or empty folder`);
  }
  await cp(template, folder, { recursive: true });
  // npm packs no file with that name.
  await rename(path.join(folder, "gitignore"), path.join(folder, ".gitignore"));
  const { version } = JSON.parse(await readFile(manifest, "utf8")) as { version: string };
  const file = path.join(folder, "package.json");
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replaceAll("{{name}}", name).replaceAll("{{version}}", version));
}

/** The name of a folder as npm has names of packages. */
function nameOf(folder: string): string {
  const words = path
    .basename(path.resolve(folder))
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  if (words === null) {
    throw new UnusableFolder(`${folder} has no letters or digits for a name: choose another`);
  }
  return words.join("-").slice(0, 200);
}
