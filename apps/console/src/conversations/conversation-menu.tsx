import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { hasScope } from "../api/access.ts";
import { rpc, trpc } from "../api/clients.ts";
import { useSession, useWorkspaceId } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { useToast } from "../ui/toast.tsx";

interface Named {
  readonly sId: string;
  readonly title: string;
}

/** Actions on a whole conversation. */
export function ConversationMenu({ conversation }: { readonly conversation: Named }) {
  const [dialog, setDialog] = useState<"rename" | "delete">();
  if (!hasScope(useSession(), "conversations:write")) return null;
  const close = () => setDialog(undefined);
  return (
    <>
      <Menu trigger={<Button>More</Button>}>
        <MenuItem onSelect={() => setDialog("rename")}>Rename …</MenuItem>
        <MenuItem onSelect={() => setDialog("delete")}>Delete …</MenuItem>
      </Menu>
      {dialog === "rename" && <Rename conversation={conversation} onClose={close} />}
      {dialog === "delete" && <Delete conversation={conversation} onClose={close} />}
    </>
  );
}

interface Asked {
  readonly conversation: Named;
  readonly onClose: () => void;
}

function Rename({ conversation, onClose }: Asked) {
  const wId = useWorkspaceId();
  const [title, setTitle] = useState(conversation.title);
  const renaming = useMutation(trpc.conversations.update.mutationOptions({ onSuccess: onClose }));
  return (
    <FormDialog
      title="Rename conversation"
      submit="Rename"
      action={renaming}
      onSubmit={() => renaming.mutate({ wId, cId: conversation.sId, title })}
      onClose={onClose}
    >
      <TextField
        label="Title"
        required
        maxLength={512}
        value={title}
        onChange={(event) => setTitle(event.target.value)}
      />
    </FormDialog>
  );
}

function Delete({ conversation, onClose }: Asked) {
  const wId = useWorkspaceId();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const say = useToast();
  return (
    <ConfirmDialog
      title="Delete conversation"
      description="Deletes its messages, events and attachments for everyone. This cannot be undone."
      word="delete"
      onClose={onClose}
      onConfirm={async () => {
        await rpc.conversations.delete.mutate({ wId, cId: conversation.sId });
        await navigate({ to: "/conversations" });
        say("Conversation deleted");
        await queryClient.invalidateQueries(trpc.conversations.pathFilter());
      }}
    />
  );
}
