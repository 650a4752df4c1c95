import type { ReactNode } from "react";
import { join } from "./join.ts";

interface PageProps {
  readonly title: string;
  /** Buttons beside the heading. */
  readonly actions?: ReactNode;
  /** Whether it is text or a form to read from top to bottom: a column, instead of the whole width. */
  readonly isColumn?: boolean;
  readonly children: ReactNode;
}

/** A page with its title in the heading and in the browser's tab. */
export function Page({ title, actions, isColumn = false, children }: PageProps) {
  return (
    <div
      className={join(
        "grid w-full min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-5",
        isColumn && "max-w-4xl",
      )}
    >
      <title>{`${title} · Parley`}</title>
      <div className="flex min-h-(--control) flex-wrap items-center justify-between gap-3">
        <h1 className="text-xl font-semibold">{title}</h1>
        {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
      {children}
    </div>
  );
}
