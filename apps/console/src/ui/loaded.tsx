import type { ReactNode } from "react";
import { ErrorNotice } from "./error-notice.tsx";
import { Skeleton } from "./skeleton.tsx";

/** The parts of a query that are shown: its data or its error. */
export interface Reading<Data> {
  readonly data: Data | undefined;
  readonly error: { readonly message: string } | null;
  readonly refetch: () => Promise<unknown>;
}

interface LoadedProps<Data> {
  readonly query: Reading<Data>;
  /** What is loaded, as in "the members". */
  readonly label: string;
  /** Placeholder lines until it is loaded. */
  readonly lines?: number | undefined;
  /** Title of the error, as in "The spaces could not be loaded". */
  readonly title?: string;
  readonly children?: (data: Data) => ReactNode;
}

/** The data of a query, placeholder lines until it is loaded, and its error with a button to try again. */
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
