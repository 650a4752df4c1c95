import type { ReactNode } from "react";
import { ErrorNotice } from "./error-notice.tsx";
import { Skeleton } from "./skeleton.tsx";

/** What of a query is shown: what it has read, or why it could not. */
export interface Reading<Data> {
  readonly data: Data | undefined;
  readonly error: { readonly message: string } | null;
  readonly refetch: () => Promise<unknown>;
}

interface LoadedProps<Data> {
  readonly query: Reading<Data>;
  /** What is read, as in "the members". */
  readonly label: string;
  /** Lines that stand there until it is read. */
  readonly lines?: number | undefined;
  /** What could not be done if it fails, as in "The spaces could not be read". */
  readonly title?: string;
  readonly children?: (data: Data) => ReactNode;
}

/** What a query has read, lines until then, and why it could not be read, with a way to try again. */
export function Loaded<Data>({ query, label, lines, title, children }: LoadedProps<Data>) {
  const { data, error, refetch } = query;
  return (
    <>
      {error && (
        <ErrorNotice
          error={error}
          {...(title !== undefined && { title })}
          onRetry={() => void refetch()}
        />
      )}
      {data === undefined && !error && (
        <Skeleton label={label} {...(lines !== undefined && { lines })} />
      )}
      {data !== undefined && children?.(data)}
    </>
  );
}
