import { useMutation } from "@tanstack/react-query";
import type { ShownConversation } from "parley-client/react";
import { useState } from "react";
import { hasScope } from "../api/access.ts";
import { useParley, useSession } from "../api/use-session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { TextArea } from "../ui/field.tsx";
import { parseObject } from "../ui/parse-json.ts";
import { CallArguments } from "./call-arguments.tsx";
import { useTalk } from "./talk-context.ts";

type Approval = ShownConversation["approvals"][number];

interface ApprovalFormProps {
  readonly approval: Approval;
  /** What the tool does, if it is known. */
  readonly description?: string | undefined;
  /** Called after the decision is sent. */
  readonly onDecide?: () => Promise<void>;
}

/** A call that needs approval: approve it once or always, edit its arguments, or reject it. */
export function ApprovalForm({ approval, description, onDecide }: ApprovalFormProps) {
  const { inputs, stake, metadata } = approval;
  const talk = useTalk();
  const canDecide = hasScope(useSession(), "conversations:write");
  const [changed, setChanged] = useState<string>();
  const parley = useParley();
  const deciding = useMutation({
    mutationFn: async (decision: "approved" | "rejected" | "always_approved") => {
      if (talk === undefined) return;
      if (changed === undefined || decision === "rejected") {
        // The conversation shows the failure.
        await talk.decide(approval, decision);
        return;
      }
      const { conversationId, messageId, actionId } = approval;
      const call = { conversationId, messageId, actionId, approved: decision };
      await parley.messages.validateAction({ ...call, params: parseObject(changed) });
    },
    onSuccess: async () => onDecide?.(),
  });
  if (deciding.isSuccess && changed !== undefined) return <p role="status">Decision sent</p>;
  const isBusy = deciding.isPending;
  return (
    <div
      role="group"
      aria-label={`Approval of ${metadata.toolName}`}
      className="grid min-w-0 gap-3 rounded-md border border-warn bg-warn-soft p-3"
    >
      <p className="flex flex-wrap items-center gap-2">
        <span>
          {metadata.agentName} wants to call{" "}
          <code className="font-mono font-medium">{metadata.toolName}</code> from{" "}
          {metadata.mcpServerName}.
        </span>
        <Badge tone="warn">risk: {stake}</Badge>
      </p>
      {description !== undefined && <p className="text-sm text-muted">{description}</p>}
      {changed === undefined ? (
        <CallArguments inputs={inputs} />
      ) : (
        <TextArea
          label="Arguments (JSON)"
          value={changed}
          rows={8}
          spellCheck={false}
          className="font-mono text-sm"
          onChange={(event) => setChanged(event.target.value)}
        />
      )}
      {deciding.isError && <ErrorNotice error={deciding.error} />}
      {canDecide && talk !== undefined && (
        <div className="flex flex-wrap gap-2">
          <Button variant="primary" isBusy={isBusy} onClick={() => deciding.mutate("approved")}>
            Approve
          </Button>
          <Button isBusy={isBusy} onClick={() => deciding.mutate("rejected")}>
            Reject
          </Button>
          {stake !== "high" && (
            <Button isBusy={isBusy} onClick={() => deciding.mutate("always_approved")}>
              Always allow
            </Button>
          )}
          <Button
            variant="ghost"
            onClick={() =>
              setChanged(changed === undefined ? JSON.stringify(inputs, null, 2) : undefined)
            }
          >
            {changed === undefined ? "Edit arguments" : "Discard edits"}
          </Button>
        </div>
      )}
    </div>
  );
}
