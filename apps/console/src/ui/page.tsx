import type { ReactNode } from "react";

interface PageProps {
  readonly title: string;
  /** Buttons beside the heading. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page with its title in the heading and in the browser's tab. */
export function Page({ title, actions, children }: PageProps) {
  return (
    <div className="mx-auto grid w-full max-w-6xl min-w-0 grid-cols-[minmax(0,1fr)] gap-5">
      <title>{`${title} · Parley`}</title>
      <div className="flex min-h-9 flex-wrap items-center justify-between gap-3">
        <h1 className="text-xl font-semibold">{title}</h1>
        {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
      {children}
    </div>
  );
}
