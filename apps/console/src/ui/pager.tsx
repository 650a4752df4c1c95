import { Link } from "@tanstack/react-router";
import { buttonLook } from "./button.tsx";
import { join } from "./join.ts";

interface PagerProps {
  /** Where the shown page begins; undefined for the first one. */
  readonly after: string | undefined;
  /** Where the next page begins, if there is one. */
  readonly next: string | null;
}

/** Leads to the next page of a list and back to its first; the position is in the URL as `after`. */
export function Pager({ after, next }: PagerProps) {
  if (after === undefined && next === null) return null;
  // The page before is still shown, while the one that it leads to is read.
  const isLoading = next !== null && next === after;
  return (
    <nav aria-label="List pages" className="flex gap-2">
      {after !== undefined && (
        <Link
          to="."
          search={(search) => ({ ...search, after: undefined })}
          className={buttonLook("secondary", true)}
        >
          First page
        </Link>
      )}
      {next !== null && (
        <Link
          to="."
          search={(search) => ({ ...search, after: next })}
          aria-disabled={isLoading}
          className={join(buttonLook("secondary", true), isLoading && "opacity-60")}
        >
          Next page
        </Link>
      )}
    </nav>
  );
}
