import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useLocation, useRouter } from "@tanstack/react-router";
import type { Input, Output } from "parley-client";
import { useState } from "react";
import { hasRole } from "../api/access.ts";
import { rpc, trpc } from "../api/clients.ts";
import { useSession } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { CheckField, TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { Menu, MenuItem, MenuLine, MenuName } from "../ui/menu.tsx";

type View = Output<"savedViews.list">["savedViews"][number];
type SavedPage = Input<"savedViews.create">["page"];

/** The query of the page without its place in a list, as views save it. */
function useViewQuery(): string {
  const query = new URLSearchParams(useLocation({ select: ({ searchStr }) => searchStr }));
  query.delete("after");
  return query.toString();
}

/** The saved views of a page: to open one, to save the current state, and to remove the one that is open. */
export function SavedViews({ page }: { readonly page: SavedPage }) {
  const { workspace, scopes } = useSession();
  // Tokens of users have none.
  return workspace === null || scopes !== null ? null : (
    <ViewsMenu page={page} wId={workspace.sId} />
  );
}

function ViewsMenu({ page, wId }: { readonly page: SavedPage; readonly wId: string }) {
  const query = useViewQuery();
  const router = useRouter();
  const pathname = useLocation({ select: (location) => location.pathname });
  const [isSaving, setSaving] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const found = useQuery(trpc.savedViews.list.queryOptions({ wId, page }, { enabled: isOpen }));
  const views = found.data?.savedViews ?? [];
  const open = views.find((view) => view.query === query);
  const queryClient = useQueryClient();
  const removing = useMutation({
    mutationFn: async ({ sId: savedViewId, version }: View) =>
      rpc.savedViews.remove.mutate({ wId, savedViewId, version }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.savedViews.pathKey() }),
  });
  const show = (view: View) =>
    router.history.push(view.query === "" ? pathname : `${pathname}?${view.query}`);
  return (
    <>
      <Menu
        onOpenChange={setOpen}
        trigger={
          <Button variant="ghost" isSmall>
            <Icon name="rows" />
            Views
          </Button>
        }
      >
        <MenuName>
          {found.isPending ? "Loading …" : views.length === 0 ? "No saved views" : "Saved views"}
        </MenuName>
        {views.map((view) => (
          <MenuItem key={view.sId} onSelect={() => show(view)}>
            <span className="size-4.5 shrink-0">{view === open && <Icon name="check" />}</span>
            {view.name}
            {view.isShared && <span className="text-sm text-muted">shared</span>}
          </MenuItem>
        ))}
        <MenuLine />
        <MenuItem onSelect={() => setSaving(true)}>Save this view …</MenuItem>
        {open?.isOwn === true && (
          <MenuItem onSelect={() => removing.mutate(open)}>Remove “{open.name}”</MenuItem>
        )}
      </Menu>
      {isSaving && <SaveDialog view={{ wId, page, query }} onClose={() => setSaving(false)} />}
    </>
  );
}

interface SaveDialogProps {
  readonly view: { readonly wId: string; readonly page: SavedPage; readonly query: string };
  readonly onClose: () => void;
}

function SaveDialog({ view, onClose }: SaveDialogProps) {
  const session = useSession();
  const queryClient = useQueryClient();
  const saving = useMutation({
    mutationFn: async (form: FormData) =>
      rpc.savedViews.create.mutate({
        ...view,
        name: String(form.get("name")).trim(),
        isShared: form.has("isShared"),
      }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: trpc.savedViews.pathKey() });
      onClose();
    },
  });
  return (
    <FormDialog
      title="Save view"
      description="Saves the filters of this page."
      submit="Save"
      action={saving}
      onSubmit={(form) => saving.mutate(form)}
      onClose={onClose}
    >
      <TextField label="Name" name="name" required maxLength={100} autoComplete="off" />
      {hasRole(session, "builder") && (
        <CheckField
          label="Share with the workspace"
          name="isShared"
          hint="Everyone sees the view, and finds with it what they may see."
        />
      )}
    </FormDialog>
  );
}
