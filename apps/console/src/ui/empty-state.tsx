import type { ReactNode } from "react";

/** Says that there is nothing yet, and what to do about it. */
export function EmptyState({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ReactNode;
}) {
  return (
    <div className="grid justify-items-start gap-3 rounded-lg border border-dashed border-control p-6">
      <p className="font-medium">{title}</p>
      {children}
    </div>
  );
}

/** A command to type, which can be selected and copied. */
export function Command({ children }: { readonly children: string }) {
  return (
    <pre
      // Reached by the keyboard, since it may be wider than the page.
      tabIndex={0}
      aria-label="Command"
      role="group"
      className="w-full overflow-x-auto rounded-md bg-surface p-3 font-mono text-sm"
    >
      {children}
    </pre>
  );
}

interface CurlCommandProps {
  readonly method?: "POST" | "PUT";
  /** The path of an endpoint on this server. */
  readonly path: string;
  readonly body: object;
}

/** A request to this server as a command for a shell, whose key is in PARLEY_KEY. */
export function CurlCommand({ method = "POST", path, body }: CurlCommandProps) {
  const lines = [
    `curl -X ${method} ${location.origin}${path}`,
    `-H "Authorization: Bearer $PARLEY_KEY"`,
    `-H "Content-Type: application/json"`,
    `-d '${JSON.stringify(body)}'`,
  ];
  return <Command>{lines.join(" \\\n  ")}</Command>;
}
