import { programKinds } from "@parley/schema/program-kinds";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { rpc, trpc } from "../../api/clients.ts";
import { useWorkspaceId } from "../../api/use-session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, buttonLook } from "../../ui/button.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { CompareVersions } from "./compare-versions.tsx";

/** The versions of a function, the newest first, and the differences of two of them. */
export function Versions({ slug }: { readonly slug: string }) {
  const wId = useWorkspaceId();
  const { old, new: now } = useSearch({ from: "/session/functions/$functionId" });
  const call = { wId, functionId: slug };
  const list = useInfiniteQuery({
    queryKey: [...trpc.sandboxFunctions.listVersions.queryKey(call), "pages"],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: lastValue, signal }) =>
      rpc.sandboxFunctions.listVersions.query({ ...call, lastValue }, { signal }),
    getNextPageParam: ({ hasMore, lastValue }) => (hasMore ? lastValue : undefined),
  });
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = list;
  if (!data) return <Loaded query={list} label="the versions" />;
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
      <Table
        label="Versions"
        rows={versions}
        keyOf={({ version }) => version}
        columns={{
          Version: ({ version }) => (
            <span className="flex items-center gap-2">
              {version}
              {version === newest && <Badge tone="good">in use</Badge>}
            </span>
          ),
          Saved: ({ createdAt }) => <Time at={createdAt} />,
          By: ({ editor }) => editor?.name ?? "an operator",
          Runtime: ({ program }) => programKinds[program.type].noun,
          Actions: ({ version }) => (
            <Actions slug={slug} version={version} isNewest={version === newest} />
          ),
        }}
      />
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

interface ActionsProps {
  readonly slug: string;
  readonly version: number;
  readonly isNewest: boolean;
}

function Actions({ slug, version, isNewest }: ActionsProps) {
  const link = { to: "/functions/$functionId", params: { functionId: slug } } as const;
  return (
    <span className="flex flex-wrap gap-2">
      {version > 1 && (
        <Link
          {...link}
          search={{ view: "versions", old: version - 1, new: version }}
          className={buttonLook("secondary", true)}
        >
          Show changes<span className="sr-only"> in version {version}</span>
        </Link>
      )}
      {!isNewest && (
        <Link
          {...link}
          search={{ view: "edit", of: version }}
          className={buttonLook("secondary", true)}
        >
          Reuse<span className="sr-only"> version {version}</span>
        </Link>
      )}
    </span>
  );
}
