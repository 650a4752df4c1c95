import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import type { Output } from "parley-client";
import { useState } from "react";
import { CurlCommand } from "../api/curl-command.tsx";
import { rpc } from "../api/clients.ts";
import { StatusBadge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Icon } from "../ui/icon.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { SecretDialog } from "../ui/secret-dialog.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Table, TableRow } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";
import { CreateWorkspace } from "./create-workspace.tsx";
import { UsageDialog } from "./usage-dialog.tsx";
import { useOpenWorkspace } from "./use-open-workspace.ts";

type Listed = Output<"workspaces.list">["workspaces"][number];

/** What is done with workspaces at the moment. */
type Doing =
  | { readonly what: "create" }
  | { readonly what: "show"; readonly name: string; readonly secret: string }
  | { readonly what: "usage" | "delete"; readonly workspace: Listed };

/** The workspaces of the server, for its operators. */
export function WorkspacesPage() {
  const { after } = useSearch({ from: "/session/workspaces" });
  const queryClient = useQueryClient();
  const say = useToast();
  const [doing, setDoing] = useState<Doing>();
  const { data, error, refetch } = useQuery({
    queryKey: ["workspaces", "page", after],
    queryFn: ({ signal }) =>
      rpc.workspaces.list.query(after === undefined ? {} : { lastValue: after }, { signal }),
  });
  const close = () => setDoing(undefined);
  const reload = async () => queryClient.invalidateQueries({ queryKey: ["workspaces"] });
  const opening = useOpenWorkspace();
  const suspending = useMutation({
    mutationFn: async ({ sId: wId, suspendedAt }: Listed) =>
      suspendedAt === null
        ? rpc.workspaces.suspend.mutate({ wId })
        : rpc.workspaces.resume.mutate({ wId }),
    onSuccess: async ({ name, suspendedAt }) => {
      say(suspendedAt === null ? `${name} is active again` : `${name} is suspended`);
      await reload();
    },
  });
  const fault = opening.error ?? suspending.error;
  return (
    <Page
      title="Workspaces"
      actions={
        <Button variant="primary" onClick={() => setDoing({ what: "create" })}>
          <Icon name="plus" />
          Create a workspace
        </Button>
      }
    >
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {fault && <ErrorNotice error={fault} />}
      {!data && !error && <Skeleton label="the workspaces" />}
      {data?.workspaces.length === 0 && (
        <EmptyState title="There are no workspaces yet">
          <p className="text-muted">
            Create one, and give its first key to those who work in it: they sign in here with it.
            An operator’s key creates one with:
          </p>
          <CurlCommand path="/api/admin/workspaces" body={{ name: "Support" }} />
        </EmptyState>
      )}
      {data && data.workspaces.length > 0 && (
        <Table label="Workspaces" columns={["Name", "Id", "Created", "State", "Actions"]}>
          {data.workspaces.map((workspace) => {
            const { sId, name, createdAt, suspendedAt } = workspace;
            return (
              <TableRow
                key={sId}
                cells={[
                  name,
                  <code className="font-mono text-sm">{sId}</code>,
                  <Time at={createdAt} />,
                  <StatusBadge status={suspendedAt === null ? "active" : "suspended"} />,
                  <span className="flex gap-2">
                    {suspendedAt === null && (
                      <Button
                        isSmall
                        isBusy={opening.isPending}
                        title="Sign in with a new admin key of it, which expires in 12 hours"
                        onClick={() => opening.mutate(sId)}
                      >
                        Open<span className="sr-only"> {name}</span>
                      </Button>
                    )}
                    <Menu
                      trigger={
                        <Button isSmall>
                          Actions<span className="sr-only"> for {name}</span>
                        </Button>
                      }
                    >
                      <MenuItem onSelect={() => setDoing({ what: "usage", workspace })}>
                        Usage …
                      </MenuItem>
                      <MenuItem onSelect={() => suspending.mutate(workspace)}>
                        {suspendedAt === null ? "Suspend" : "Resume"}
                      </MenuItem>
                      <MenuItem onSelect={() => setDoing({ what: "delete", workspace })}>
                        Delete …
                      </MenuItem>
                    </Menu>
                  </span>,
                ]}
              />
            );
          })}
        </Table>
      )}
      {data && <Pager after={after} next={data.hasMore ? data.lastValue : null} />}
      {doing?.what === "create" && (
        <CreateWorkspace
          onClose={close}
          onCreate={(name, secret) => {
            setDoing({ what: "show", name, secret });
            void reload();
          }}
        />
      )}
      {doing?.what === "show" && (
        <SecretDialog
          title={`The first key of ${doing.name}`}
          secret={doing.secret}
          onClose={close}
        />
      )}
      {doing?.what === "usage" && <UsageDialog workspace={doing.workspace} onClose={close} />}
      {doing?.what === "delete" && (
        <ConfirmDialog
          title="Delete the workspace"
          description={`All that is in ${doing.workspace.name} is deleted: conversations, files, agents, keys. This cannot be undone.`}
          word={doing.workspace.name}
          onClose={close}
          onConfirm={async () => {
            await rpc.workspaces.delete.mutate({ wId: doing.workspace.sId });
            say(`${doing.workspace.name} is deleted`);
            await reload();
          }}
        />
      )}
    </Page>
  );
}
