import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";
import { hasScope } from "../api/access.ts";
import { useSession } from "../api/use-session.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { join } from "../ui/join.ts";
import { AgentChooser, useAgentChoice } from "./agent-chooser.tsx";
import { AttachmentList } from "./attachment-list.tsx";
import { useAttachments } from "./use-attachments.ts";

/** A message to send. */
export interface Draft {
  readonly text: string;
  readonly agentIds: readonly string[];
  readonly files: readonly { readonly fileId: string; readonly title: string }[];
}

interface ComposerProps {
  /** Agents chosen until the user chooses others. */
  readonly suggestedAgentIds: readonly string[] | undefined;
  /** Resolves to whether the message was sent; an unsent one stays in the composer. */
  readonly onSend: (draft: Draft) => Promise<boolean>;
  readonly isBusy: boolean;
  /** Further buttons. */
  readonly children?: ReactNode;
}

/** The form for a message: its text, agents and files. */
export function Composer({ suggestedAgentIds, onSend, isBusy, children }: ComposerProps) {
  const [text, setText] = useState("");
  const [isOver, setOver] = useState(false);
  const choice = useAgentChoice(suggestedAgentIds);
  const { attachments, add, remove, clear } = useAttachments();
  const canAttach = hasScope(useSession(), "files:write");
  const picker = useRef<HTMLInputElement>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const isUploading = attachments.some(({ state }) => state === "uploading");
  const canSend = text.trim() !== "" && choice.isKnown && !isUploading && !isBusy;

  const send = async () => {
    if (!canSend) return;
    const files = attachments.flatMap(({ fileId, title }) =>
      fileId === undefined ? [] : [{ fileId, title }],
    );
    setText("");
    if (await onSend({ text, agentIds: choice.agentIds, files })) clear();
    else setText((typed) => (typed === "" ? text : typed));
    area.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter also confirms a word in an input method.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send();
  };
  return (
    <form
      aria-label="New message"
      className={join(
        "grid gap-2 rounded-lg border bg-raised p-2",
        isOver ? "border-accent" : "border-control",
      )}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
      onDragOver={(event) => {
        if (!canAttach || !event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (canAttach) void add([...event.dataTransfer.files]);
      }}
    >
      <label htmlFor={id} className="sr-only">
        Message
      </label>
      <textarea
        ref={area}
        id={id}
        value={text}
        rows={Math.min(10, Math.max(2, text.split("\n").length))}
        placeholder="Write a message (Enter sends, Shift+Enter starts a new line)"
        className="w-full resize-none rounded bg-transparent px-1.5 py-1"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={(event) => {
          const files = [...event.clipboardData.files];
          if (canAttach && files.length > 0) void add(files);
        }}
      />
      <AttachmentList attachments={attachments} onRemove={remove} />
      <div className="flex flex-wrap items-center gap-2">
        <AgentChooser choice={choice} />
        {canAttach && (
          <>
            <input
              ref={picker}
              type="file"
              multiple
              hidden
              onChange={(event) => {
                void add([...(event.target.files ?? [])]);
                event.target.value = "";
              }}
            />
            <IconButton label="Attach files" onClick={() => picker.current?.click()}>
              <Icon name="file" />
            </IconButton>
          </>
        )}
        <div className="ml-auto flex gap-2">
          {children}
          <Button type="submit" variant="primary" disabled={!canSend} isBusy={isBusy}>
            Send
          </Button>
        </div>
      </div>
    </form>
  );
}
