import { type RawSearch, textOf } from "../routing/search.ts";

/** The page of versions, the shown one, and the one to compare it with, or `none`. */
export interface VersionSearch {
  after?: string | undefined;
  version?: number | undefined;
  with?: number | "none" | undefined;
}

/** Reads what is shown of versions, from a URL or a link; what is not a number is left out. */
export function readVersions(search: RawSearch): VersionSearch {
  const numberOf = (name: "version" | "with") => {
    const text = String(search[name] ?? "");
    return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  };
  const other = search["with"] === "none" ? "none" : numberOf("with");
  return { after: textOf(search, "after"), version: numberOf("version"), with: other };
}
