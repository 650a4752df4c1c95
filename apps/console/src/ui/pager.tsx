import { Link } from "@tanstack/react-router";
import { buttonLook } from "./button.tsx";
import { join } from "./join.ts";

interface PagerProps {
  /** Cursor of the shown page; undefined for the first one. */
  readonly after: string | undefined;
  /** Cursor of the next page, if there is one. */
  readonly next: string | null;
}

/** Leads to the next page of a list and back to its first; the position is in the URL as `after`. */
export function Pager({ after, next }: PagerProps) {
  if (after === undefined && next === null) return null;
  // The previous page is still shown while the next one loads.
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
