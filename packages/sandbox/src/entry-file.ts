import path from "node:path";
import { fileURLToPath } from "node:url";

/** In the source and in the package's build each is in its room; in the bundled server all are in one folder. */
const folders = {
  "sandbox-child": "child",
  "bundle-entry": "bundle",
  "extract-entry": "extract",
} as const;

/** The path of a file that processes of the sandbox run. */
export function entryFile(name: keyof typeof folders): string {
  const here = fileURLToPath(import.meta.url);
  const extension = path.extname(here);
  const isBundled = path.basename(here, extension) !== "entry-file";
  const folder = isBundled ? "." : folders[name];
  return path.join(path.dirname(here), folder, `${name}${extension}`);
}
