import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Output } from "parley-client";
import { useState } from "react";
import { trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { StatusBadge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { SelectField } from "../ui/field.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { wordOf } from "../ui/states.ts";
import { Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";

const pageStates = ["waiting", "read", "skipped", "failed"] as const;

interface WebPagesDialogProps {
  readonly source: Pick<Output<"webSources.get">["webSource"], "sId" | "url">;
  readonly onClose: () => void;
}

/** The pages of a web source, and why some were not read. */
export function WebPagesDialog({ source: { sId, url }, onClose }: WebPagesDialogProps) {
  const wId = useWorkspaceId();
  const [state, setState] = useState<(typeof pageStates)[number]>();
  const [after, setAfter] = useState<string>();
  const input = { wId, webSourceId: sId, state, lastValue: after };
  const list = useQuery(
    trpc.webSources.listPages.queryOptions(input, { placeholderData: keepPreviousData }),
  );
  return (
    <Dialog title="Pages" description={url} isOpen onOpenChange={onClose}>
      <SelectField
        label="State"
        value={state ?? ""}
        onChange={({ target: { value } }) => {
          setState(pageStates.find((one) => one === value));
          setAfter(undefined);
        }}
      >
        <option value="">All</option>
        {pageStates.map((one) => (
          <option key={one} value={one}>
            {wordOf(one)}
          </option>
        ))}
      </SelectField>
      <Loaded query={list} label="the pages">
        {({ webPages, hasMore, lastValue }) => (
          <>
            {webPages.length === 0 ? (
              <p className="text-muted">No pages in this state</p>
            ) : (
              <Table
                label="Pages"
                rows={webPages}
                keyOf={(page) => page.url}
                least={["Checked"]}
                columns={{
                  URL: (page) => <span className="break-all">{page.url}</span>,
                  State: (page) => (
                    <span className="grid justify-items-start gap-1">
                      <StatusBadge status={page.state} />
                      {page.reason !== null && (
                        <span className="text-sm text-muted">{page.reason}</span>
                      )}
                    </span>
                  ),
                  Checked: (page) => (page.checkedAt === null ? "–" : <Time at={page.checkedAt} />),
                }}
              />
            )}
            {hasMore && lastValue !== null && (
              <Button onClick={() => setAfter(lastValue)}>Next pages</Button>
            )}
          </>
        )}
      </Loaded>
    </Dialog>
  );
}
