import { cp, readFile } from "node:fs/promises";
import path from "node:path";
import {
  catalogued,
  createFolder,
  type Folder,
  install,
  pack,
  publishedAs,
} from "../packaging/packed.ts";
import { root } from "../server.ts";

/** Copies an example out of the workspace, and installs the packed client and what else it needs there. */
export async function copyExample(name: string): Promise<Folder> {
  const folder = await createFolder();
  const example = path.join(root, "examples", name);
  await cp(example, folder.path, {
    recursive: true,
    filter: (source) => !/\/(?:node_modules|\.next)$/.test(source),
  });
  const manifest = await readFile(path.join(example, "package.json"), "utf8");
  const { dependencies, devDependencies = {} } = JSON.parse(manifest) as {
    dependencies: Record<string, string>;
    devDependencies?: Record<string, string>;
  };
  const needed = Object.keys({ ...dependencies, ...devDependencies });
  const client = await pack(publishedAs("parley-client"), folder);
  const others = await catalogued(...needed.filter((one) => one !== "parley-client"));
  await install(folder, client, ...others);
  return folder;
}
