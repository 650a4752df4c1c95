import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { CheckField } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { ListPage } from "../ui/list.tsx";
import { NameAndId } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";
import { type AdministeredSpace, SpaceForm } from "./space-form.tsx";

/** The open dialog. */
type Doing =
  | { readonly what: "create" }
  | { readonly what: "change" | "delete"; readonly space: AdministeredSpace };

/** All spaces of the workspace, including those that the reader's key cannot access. */
export function SpacesPage() {
  const wId = useWorkspaceId();
  const { after } = useSearch({ from: "/session/spaces" });
  const say = useToast();
  const [doing, setDoing] = useState<Doing>();
  const { data: keys } = useQuery(trpc.apiKeys.list.queryOptions({ wId }));
  const nameOf = (id: string) => keys?.apiKeys.find(({ sId }) => sId === id)?.name ?? id;
  const close = () => setDoing(undefined);
  const list = useQuery(trpc.spaces.listAll.queryOptions({ wId, lastValue: after }));
  return (
    <ListPage
      name="Spaces"
      query={list}
      rowsOf={({ spaces }) => spaces}
      keyOf={({ sId }) => sId}
      after={after}
      actions={
        <Button variant="primary" onClick={() => setDoing({ what: "create" })}>
          <Icon name="plus" />
          Create space
        </Button>
      }
      columns={{
        Name: NameAndId,
        Access: ({ isRestricted, keyIds }) =>
          isRestricted ? (
            <span className="flex flex-wrap gap-1">
              <Badge tone="warn">restricted</Badge>
              {keyIds.length === 0 ? "no keys" : keyIds.map(nameOf).join(", ")}
            </span>
          ) : (
            "all keys"
          ),
        Updated: ({ updatedAt }) => <Time at={updatedAt} />,
        Actions: (space) => (
          <span className="flex gap-2">
            <Button isSmall of={space.name} onClick={() => setDoing({ what: "change", space })}>
              Edit
            </Button>
            <Button isSmall of={space.name} onClick={() => setDoing({ what: "delete", space })}>
              Delete
            </Button>
          </span>
        ),
      }}
      empty={
        <EmptyState title="No spaces yet">
          <p className="text-muted">
            A space holds data sources, tools and conversations, for all keys or selected ones.
          </p>
        </EmptyState>
      }
    >
      {(doing?.what === "create" || doing?.what === "change") && (
        <SpaceForm
          {...(doing.what === "change" && { space: doing.space })}
          onClose={close}
          onDone={(name) => {
            close();
            say(doing.what === "create" ? `${name} created` : `${name} saved`);
          }}
        />
      )}
      {doing?.what === "delete" && (
        <ConfirmDialog
          title="Delete space"
          description="This cannot be undone. A space that is not empty can only be deleted with its contents."
          word={doing.space.name}
          changes={trpc.spaces.pathKey()}
          onClose={close}
          onConfirm={async (form) => {
            const withContent = form.get("withContent") !== null;
            await rpc.spaces.delete.mutate({ wId, spaceId: doing.space.sId, withContent });
            say(`${doing.space.name} deleted`);
          }}
        >
          <CheckField
            label="Delete its contents too"
            name="withContent"
            hint="Conversations with their messages, data sources with their documents, and tools."
          />
        </ConfirmDialog>
      )}
    </ListPage>
  );
}
