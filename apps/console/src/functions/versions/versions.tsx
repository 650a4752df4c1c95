import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useClients } from "../../api/use-session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, buttonLook } from "../../ui/button.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Table, TableRow } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { CompareVersions } from "./compare-versions.tsx";
import type { FunctionVersion } from "./read-versions.ts";

/** The versions of a function, the newest first, and the differences of two of them. */
export function Versions({ slug }: { readonly slug: string }) {
  const { rpc, workspaceId: wId } = useClients();
  const { old, new: now } = useSearch({ from: "/session/functions/$functionId" });
  const list = useInfiniteQuery({
    queryKey: ["function-versions", wId, slug],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const place = pageParam === undefined ? {} : { lastValue: pageParam };
      const call = { wId, functionId: slug, ...place };
      return rpc.sandboxFunctions.listVersions.query(call, { signal });
    },
    getNextPageParam: ({ hasMore, lastValue }) => (hasMore ? lastValue : undefined),
  });
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = list;
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton label="the versions" />;
  const versions = data.pages.flatMap((page) => page.versions);
  const newest = versions[0]?.version ?? 1;
  return (
    <div className="grid gap-5">
      <CompareVersions
        slug={slug}
        newest={newest}
        old={old ?? Math.max(newest - 1, 1)}
        now={now ?? newest}
      />
      <Table label="Versions" columns={["Version", "Saved", "By", "Runs", "Actions"]}>
        {versions.map((one) => (
          <Row key={one.version} slug={slug} one={one} isNewest={one.version === newest} />
        ))}
      </Table>
      {error && <ErrorNotice error={error} onRetry={() => void fetchNextPage()} />}
      {hasNextPage && (
        <Button
          className="justify-self-start"
          isBusy={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          Older versions
        </Button>
      )}
    </div>
  );
}

interface RowProps {
  readonly slug: string;
  readonly one: FunctionVersion;
  readonly isNewest: boolean;
}

const programs = { javascript: "code", e2b: "code in E2B", simulated: "a simulation" } as const;

function Row({ slug, one, isNewest }: RowProps) {
  const { version, createdAt, editor, program } = one;
  const link = { to: "/functions/$functionId", params: { functionId: slug } } as const;
  return (
    <TableRow
      cells={[
        <span className="flex items-center gap-2">
          {version}
          {isNewest && <Badge tone="good">in use</Badge>}
        </span>,
        <Time at={createdAt} />,
        editor?.name ?? "an operator",
        programs[program.type],
        <span className="flex flex-wrap gap-2">
          {version > 1 && (
            <Link
              {...link}
              search={{ view: "versions", old: version - 1, new: version }}
              className={buttonLook("secondary", true)}
            >
              What changed<span className="sr-only"> in version {version}</span>
            </Link>
          )}
          {!isNewest && (
            <Link
              {...link}
              search={{ view: "edit", of: version }}
              className={buttonLook("secondary", true)}
            >
              Use again<span className="sr-only"> version {version}</span>
            </Link>
          )}
        </span>,
      ]}
    />
  );
}
