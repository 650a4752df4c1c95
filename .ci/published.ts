import path from "node:path";

/** A package that users install by its name. */
export interface Published {
  readonly name: string;
  readonly folder: string;
  /** Packages whose code is in its tarball; all others are dependencies. */
  readonly bundled: readonly string[];
}

export const published: readonly Published[] = [
  {
    name: "parley-client",
    folder: "packages/client",
    bundled: ["eventsource", "eventsource-parser"],
  },
  {
    name: "parley-server",
    folder: "apps/cli",
    bundled: [
      "devlop",
      "drizzle-orm",
      "gpt-tokenizer",
      "highlight.js",
      "lowlight",
      "swagger-ui-dist",
    ],
  },
  { name: "create-parley", folder: "packages/create-parley", bundled: [] },
];

/** Has a release packed of the builds that are there, instead of building once more. */
export const BUILT_OPTION = "--built";

/** Where a release is packed: tarballs, and what is in them. */
export const releaseFolder = path.resolve(import.meta.dirname, "../dist/release");

/** Where the tarball of a package is once the release is packed. */
export function tarballOf({ name }: Published, version: string): string {
  return path.join(releaseFolder, `${name}-${version}.tgz`);
}

/** Tells the tests of packaging to install the packed release, instead of packing packages again. */
export const RELEASE_VARIABLE = "PARLEY_TEST_RELEASE";

/** Whether the release is packed, so that the tests of packaging need not pack. */
export function isReleasePacked(): boolean {
  return process.env[RELEASE_VARIABLE] !== undefined;
}
