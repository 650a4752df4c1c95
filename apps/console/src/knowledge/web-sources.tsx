import { useMutation, useQuery } from "@tanstack/react-query";
import type { Output } from "parley-client";
import { useState } from "react";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { StatusBadge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Section } from "../ui/section.tsx";
import { Table } from "../ui/table.tsx";
import { formatNumber, Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";
import { WebPagesDialog } from "./web-pages-dialog.tsx";
import { WebSourceForm } from "./web-source-form.tsx";

type WebSource = Output<"webSources.list">["webSources"][number];

/** How often the list is read again while one of them is being read. */
const REFRESH_MS = 2000;

/** What of the web a data source is filled from, and how that went; for builders. */
export function WebSources({ viewId }: { readonly viewId: string }) {
  const wId = useWorkspaceId();
  const say = useToast();
  const [isAdding, setAdding] = useState(false);
  const [shown, setShown] = useState<WebSource>();
  const [removed, setRemoved] = useState<WebSource>();
  const list = useQuery(
    trpc.webSources.list.queryOptions(
      { wId, dataSourceViewId: viewId },
      {
        refetchInterval: ({ state: { data } }) =>
          data?.webSources.some(({ isRefreshing }) => isRefreshing) === true && REFRESH_MS,
      },
    ),
  );
  const switching = useMutation({
    mutationKey: trpc.webSources.pathKey(),
    mutationFn: async ({ sId: webSourceId, isRefreshing }: WebSource) => {
      const named = { wId, webSourceId };
      await (isRefreshing
        ? rpc.webSources.cancel.mutate(named)
        : rpc.webSources.refresh.mutate(named));
    },
  });
  return (
    <Section
      title="Web pages"
      actions={<Button onClick={() => setAdding(true)}>Add web pages</Button>}
    >
      {switching.error && <ErrorNotice error={switching.error} />}
      <Loaded query={list} label="the web pages" lines={1}>
        {({ webSources }) =>
          webSources.length === 0 ? (
            <p className="text-sm text-muted">
              A page, the pages of a sitemap, or a page with what it links to can be read into this
              data source, at set times.
            </p>
          ) : (
            <Table
              label="Web pages"
              rows={webSources}
              keyOf={({ sId }) => sId}
              least={["Kind", "Next"]}
              columns={{
                URL: ({ url }) => <span className="break-all">{url}</span>,
                Kind: ({ kind }) => kind,
                State: (one) => <Refresh source={one} />,
                Pages: ({ lastRefresh }) =>
                  lastRefresh === null ? "–" : formatNumber(lastRefresh.read),
                Next: ({ nextRefreshAt }) =>
                  nextRefreshAt === null ? "–" : <Time at={nextRefreshAt} />,
                Actions: (one) => (
                  <span className="flex flex-wrap gap-2">
                    <Button isSmall of={one.url} onClick={() => setShown(one)}>
                      Show pages
                    </Button>
                    <Button isSmall of={one.url} onClick={() => switching.mutate(one)}>
                      {one.isRefreshing ? "Cancel" : "Read again"}
                    </Button>
                    <Button isSmall of={one.url} onClick={() => setRemoved(one)}>
                      Remove
                    </Button>
                  </span>
                ),
              }}
            />
          )
        }
      </Loaded>
      {isAdding && (
        <WebSourceForm
          viewId={viewId}
          onClose={() => setAdding(false)}
          onCreate={(url) => {
            setAdding(false);
            say(`${url} is being read`);
          }}
        />
      )}
      {shown && <WebPagesDialog source={shown} onClose={() => setShown(undefined)} />}
      {removed && (
        <ConfirmDialog
          title="Remove web pages"
          description={`Removes the documents that were read from ${removed.url} for everyone. This cannot be undone.`}
          word="remove"
          changes={trpc.webSources.pathKey()}
          onClose={() => setRemoved(undefined)}
          onConfirm={async () => {
            const { sId: webSourceId, version } = removed;
            await rpc.webSources.remove.mutate({ wId, webSourceId, version });
            say(`${removed.url} removed`);
          }}
        />
      )}
    </Section>
  );
}

function Refresh({ source: { isRefreshing, lastRefresh } }: { readonly source: WebSource }) {
  const state = isRefreshing ? "running" : (lastRefresh?.outcome ?? "planned");
  const failed = lastRefresh?.failed ?? 0;
  return (
    <span className="grid justify-items-start gap-1">
      <StatusBadge status={state} />
      {!isRefreshing && lastRefresh?.failure != null && (
        <span className="text-sm text-bad">{lastRefresh.failure}</span>
      )}
      {!isRefreshing && lastRefresh?.failure == null && failed > 0 && (
        <span className="text-sm text-bad">
          {failed === 1 ? "1 page could not be read" : `${failed} pages could not be read`}
        </span>
      )}
    </span>
  );
}
