// Runs in a thread, which cannot resolve packages of the workspace: it imports none.
import { SourceMap, type SourceMapPayload } from "node:module";

/** Places in a bundle, from 1, and its source map. */
export interface LocateTask {
  readonly map: string;
  readonly places: readonly { readonly line: number; readonly column: number }[];
}

/** The places in the author's files, in the same order; those that the map does not know stay as they are. */
export function locate({ map, places }: LocateTask): string[] {
  const source = readMap(map);
  return places.map(({ line, column }) => {
    const found = source?.findEntry(line - 1, column - 1);
    if (found === undefined || !("originalSource" in found)) return `bundle.js:${line}:${column}`;
    return `${found.originalSource}:${found.originalLine + 1}:${found.originalColumn + 1}`;
  });
}

function readMap(map: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(map) as SourceMapPayload);
  } catch {
    return undefined;
  }
}
