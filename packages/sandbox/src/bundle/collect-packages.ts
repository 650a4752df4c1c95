import type { InstalledFiles } from "./installed-files.ts";
import { ImportFault, packageOf } from "./package-manifest.ts";
import { placePackages } from "./place-packages.ts";

/** How much a program may have. */
export interface SourceLimits {
  readonly maxFiles: number;
  readonly maxBytes: number;
}

/**
 * The files of packages that a bundler has read for a program, as they are stored with it: by their paths in a
 * `node_modules` without links. Throws `ImportFault` if they are too many or too large.
 */
export function collectPackages(
  { read, links }: InstalledFiles,
  own: Readonly<Record<string, string>>,
  limits: SourceLimits,
): Record<string, string> {
  const places = placePackages(links);
  if (places === undefined) {
    throw new ImportFault(
      "The packages need each other in so many versions that they cannot be kept",
    );
  }
  const filesOf = Map.groupBy(read, ([file]) => packageOf(file)?.folder ?? "");
  const files: [path: string, text: string][] = [];
  for (const [place, folder] of places) {
    for (const [file, text] of filesOf.get(folder) ?? []) {
      files.push([`${place}${file.slice(folder.length)}`, text]);
    }
  }
  const all = [...Object.entries(own), ...files];
  refuseExcess(all, { unit: "files", max: limits.maxFiles, sizeOf: () => 1 });
  refuseExcess(all, { unit: "bytes", max: limits.maxBytes, sizeOf: Buffer.byteLength });
  return Object.fromEntries(files.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

interface Measure {
  readonly unit: string;
  readonly max: number;
  readonly sizeOf: (text: string) => number;
}

function refuseExcess(
  files: readonly (readonly [path: string, text: string])[],
  { unit, max, sizeOf }: Measure,
): void {
  const sizes = new Map<string, number>();
  let all = 0;
  for (const [path, text] of files) {
    const folder = packageOf(path)?.folder ?? "";
    sizes.set(folder, (sizes.get(folder) ?? 0) + sizeOf(text));
    all += sizeOf(text);
  }
  if (all <= max) return;
  sizes.delete("");
  const [[folder, size] = ["", 0]] = [...sizes].toSorted(([, one], [, other]) => other - one);
  throw new ImportFault(
    `The function has ${all} ${unit} with those of its packages, and may have ${max}: ${size} are of ${folder}`,
  );
}
