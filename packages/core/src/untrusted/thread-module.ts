import path from "node:path";

/**
 * The URL of a module that threads import: `name`, without an extension, beside the module at `importer`,
 * in the source or in the build.
 */
export function threadModule(name: string, importer: string): string {
  return new URL(`./${name}${path.extname(importer)}`, importer).href;
}
