import { useMutation, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import type { Output } from "parley-client";
import { useState } from "react";
import { UsageCounts } from "../administration/usage-counts.tsx";
import { rpc, trpc } from "../api/clients.ts";
import { StatusBadge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { CurlCommand, EmptyState } from "../ui/empty-state.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { ListPage } from "../ui/list.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { SecretDialog } from "../ui/secret-dialog.tsx";
import { Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";
import { useOpenWorkspace } from "./use-open-workspace.ts";

type Listed = Output<"workspaces.list">["workspaces"][number];

/** The open dialog. */
type Doing =
  | { readonly what: "create" }
  | { readonly what: "show"; readonly name: string; readonly secret: string }
  | { readonly what: "usage" | "delete"; readonly workspace: Listed };

/** The workspaces of the server, for its operators. */
export function WorkspacesPage() {
  const { after } = useSearch({ from: "/session/workspaces" });
  const say = useToast();
  const [doing, setDoing] = useState<Doing>();
  const close = () => setDoing(undefined);
  const opening = useOpenWorkspace();
  const suspending = useMutation({
    mutationKey: trpc.workspaces.pathKey(),
    mutationFn: async ({ sId: wId, suspendedAt }: Listed) =>
      suspendedAt === null
        ? rpc.workspaces.suspend.mutate({ wId })
        : rpc.workspaces.resume.mutate({ wId }),
    onSuccess: ({ name, suspendedAt }) =>
      say(suspendedAt === null ? `${name} resumed` : `${name} suspended`),
  });
  const fault = opening.error ?? suspending.error;
  const list = useQuery(trpc.workspaces.list.queryOptions({ lastValue: after }));
  return (
    <ListPage
      name="Workspaces"
      query={list}
      rowsOf={({ workspaces }) => workspaces}
      keyOf={({ sId }) => sId}
      after={after}
      actions={
        <Button variant="primary" onClick={() => setDoing({ what: "create" })}>
          <Icon name="plus" />
          Create workspace
        </Button>
      }
      above={fault && <ErrorNotice error={fault} />}
      columns={{
        Name: ({ name }) => name,
        Id: ({ sId }) => <code className="font-mono text-sm">{sId}</code>,
        Created: ({ createdAt }) => <Time at={createdAt} />,
        State: ({ suspendedAt }) => (
          <StatusBadge status={suspendedAt === null ? "active" : "suspended"} />
        ),
        Actions: (workspace) => (
          <span className="flex gap-2">
            {workspace.suspendedAt === null && (
              <Button
                isSmall
                of={workspace.name}
                isBusy={opening.isPending}
                title="Sign in to this workspace with a new admin key, valid for 12 hours"
                onClick={() => opening.mutate(workspace.sId)}
              >
                Open
              </Button>
            )}
            <Menu
              trigger={
                <Button isSmall of={`for ${workspace.name}`}>
                  Actions
                </Button>
              }
            >
              <MenuItem onSelect={() => setDoing({ what: "usage", workspace })}>Usage …</MenuItem>
              <MenuItem onSelect={() => suspending.mutate(workspace)}>
                {workspace.suspendedAt === null ? "Suspend" : "Resume"}
              </MenuItem>
              <MenuItem onSelect={() => setDoing({ what: "delete", workspace })}>Delete …</MenuItem>
            </Menu>
          </span>
        ),
      }}
      empty={
        <EmptyState title="No workspaces yet">
          <p className="text-muted">
            Create one and give its first key to its team, who sign in here with it. Or create one
            with an operator key:
          </p>
          <CurlCommand path="/api/admin/workspaces" body={{ name: "Support" }} />
        </EmptyState>
      }
    >
      {doing?.what === "create" && (
        <CreateWorkspace
          onClose={close}
          onCreate={(name, secret) => {
            setDoing({ what: "show", name, secret });
          }}
        />
      )}
      {doing?.what === "show" && (
        <SecretDialog title={`First key for ${doing.name}`} secret={doing.secret} onClose={close} />
      )}
      {doing?.what === "usage" && (
        <Dialog title={`Usage of ${doing.workspace.name}`} isOpen onOpenChange={close}>
          <UsageCounts wId={doing.workspace.sId} />
        </Dialog>
      )}
      {doing?.what === "delete" && (
        <ConfirmDialog
          title="Delete workspace"
          description={`Deletes everything in ${doing.workspace.name}: conversations, files, agents and keys. This cannot be undone.`}
          word={doing.workspace.name}
          changes={trpc.workspaces.pathKey()}
          onClose={close}
          onConfirm={async () => {
            await rpc.workspaces.delete.mutate({ wId: doing.workspace.sId });
            say(`${doing.workspace.name} deleted`);
          }}
        />
      )}
    </ListPage>
  );
}

interface CreateWorkspaceProps {
  /** Called with the name of the new workspace, and its first key. */
  readonly onCreate: (name: string, adminKey: string) => void;
  readonly onClose: () => void;
}

/** Creates a workspace. */
function CreateWorkspace({ onCreate, onClose }: CreateWorkspaceProps) {
  const creating = useMutation(
    trpc.workspaces.create.mutationOptions({
      onSuccess: ({ workspace, adminKey }) => onCreate(workspace.name, adminKey),
    }),
  );
  return (
    <FormDialog
      title="Create workspace"
      description="Its first admin key is shown once."
      submit="Create"
      action={creating}
      onSubmit={(form) => creating.mutate({ name: String(form.get("name")) })}
      onClose={onClose}
    >
      <TextField label="Name" name="name" required maxLength={255} autoComplete="off" />
    </FormDialog>
  );
}
