import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useClients } from "../api/use-session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { CheckField } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Table, TableRow } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";
import { type AdministeredSpace, keysQuery } from "./read-keys.ts";
import { SpaceForm } from "./space-form.tsx";

/** What is done with spaces at the moment. */
type Doing =
  | { readonly what: "create" }
  | { readonly what: "change" | "delete"; readonly space: AdministeredSpace };

/** All spaces of the workspace, also those that the reader's key does not reach. */
export function SpacesPage() {
  const clients = useClients();
  const { rpc, workspaceId: wId } = clients;
  const { after } = useSearch({ from: "/session/spaces" });
  const queryClient = useQueryClient();
  const say = useToast();
  const [doing, setDoing] = useState<Doing>();
  const { data, error, refetch } = useQuery({
    queryKey: ["spaces", wId, "page", after],
    queryFn: ({ signal }) =>
      rpc.spaces.listAll.query(
        { wId, ...(after !== undefined && { lastValue: after }) },
        { signal },
      ),
  });
  const { data: keys } = useQuery(keysQuery(clients));
  const nameOf = (id: string) => keys?.find(({ sId }) => sId === id)?.name ?? id;
  const close = () => setDoing(undefined);
  const reload = async () => queryClient.invalidateQueries({ queryKey: ["spaces"] });
  return (
    <Page
      title="Spaces"
      actions={
        <Button variant="primary" onClick={() => setDoing({ what: "create" })}>
          <Icon name="plus" />
          Create a space
        </Button>
      }
    >
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton label="the spaces" />}
      {data?.spaces.length === 0 && (
        <EmptyState title="There are no spaces yet">
          <p className="text-muted">
            A space holds data sources, tools and conversations, for all keys or for given ones.
          </p>
        </EmptyState>
      )}
      {data && data.spaces.length > 0 && (
        <Table label="Spaces" columns={["Name", "Reached by", "Changed", "Actions"]}>
          {data.spaces.map((space) => (
            <TableRow
              key={space.sId}
              cells={[
                <span>
                  <span className="font-medium">{space.name}</span>
                  <code className="block font-mono text-sm whitespace-nowrap text-muted">
                    {space.sId}
                  </code>
                </span>,
                space.isRestricted ? (
                  <span className="flex flex-wrap gap-1">
                    <Badge tone="warn">restricted</Badge>
                    {space.keyIds.length === 0 ? "no key" : space.keyIds.map(nameOf).join(", ")}
                  </span>
                ) : (
                  "all keys"
                ),
                <Time at={space.updatedAt} />,
                <span className="flex gap-2">
                  <Button isSmall onClick={() => setDoing({ what: "change", space })}>
                    Change<span className="sr-only"> {space.name}</span>
                  </Button>
                  <Button isSmall onClick={() => setDoing({ what: "delete", space })}>
                    Delete<span className="sr-only"> {space.name}</span>
                  </Button>
                </span>,
              ]}
            />
          ))}
        </Table>
      )}
      {data && <Pager after={after} next={data.hasMore ? data.lastValue : null} />}
      {(doing?.what === "create" || doing?.what === "change") && (
        <SpaceForm
          {...(doing.what === "change" && { space: doing.space })}
          onClose={close}
          onDone={(name) => {
            close();
            say(doing.what === "create" ? `${name} is created` : `${name} is changed`);
            void reload();
          }}
        />
      )}
      {doing?.what === "delete" && (
        <ConfirmDialog
          title="Delete the space"
          description="This cannot be undone. A space that holds anything is deleted only with what it holds."
          word={doing.space.name}
          onClose={close}
          onConfirm={async (form) => {
            const withContent = form.get("withContent") !== null;
            await rpc.spaces.delete.mutate({ wId, spaceId: doing.space.sId, withContent });
            say(`${doing.space.name} is deleted`);
            await reload();
          }}
        >
          <CheckField
            label="Delete what it holds too"
            name="withContent"
            hint="Conversations with their messages, data sources with their documents, and tools."
          />
        </ConfirmDialog>
      )}
    </Page>
  );
}
