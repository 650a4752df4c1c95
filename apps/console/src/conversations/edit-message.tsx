import { useMutation } from "@tanstack/react-query";
import type { UserMessage } from "parley-client";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { TextArea } from "../ui/field.tsx";
import type { EditMessage } from "./talk-context.ts";

interface EditFormProps {
  readonly message: UserMessage;
  readonly edit: EditMessage;
  readonly onClose: () => void;
}

/** The form that changes one's message: the agents that it mentions answer it again. */
export function EditForm({ message, edit, onClose }: EditFormProps) {
  const [text, setText] = useState(message.content);
  const editing = useMutation({ mutationFn: async () => edit(message, text), onSuccess: onClose });
  return (
    <form
      aria-label="Edit message"
      className="grid gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        editing.mutate();
      }}
    >
      <TextArea
        label="Message"
        rows={4}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {editing.isError && <ErrorNotice error={editing.error} />}
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          isSmall
          variant="primary"
          isBusy={editing.isPending}
          disabled={text.trim() === "" || text === message.content}
        >
          Send
        </Button>
        <Button isSmall variant="ghost" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
