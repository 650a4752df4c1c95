import { useQuery } from "@tanstack/react-query";
import { trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { CodeBlock, JsonBlock } from "../ui/code-block.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Loaded } from "../ui/loaded.tsx";

interface EventDialogProps {
  readonly triggerId: string;
  readonly eventId: string;
  readonly onClose: () => void;
}

/** An event with its request, what was made of it, and what it started. */
export function EventDialog({ triggerId, eventId, onClose }: EventDialogProps) {
  const wId = useWorkspaceId();
  const read = useQuery(trpc.triggers.getEvent.queryOptions({ wId, triggerId, eventId }));
  return (
    <Dialog title={eventId} isOpen onOpenChange={onClose}>
      <Loaded query={read} label="the event">
        {({ event: { headers, body, message, started, error } }) => (
          <>
            {error !== null && <p>{error}</p>}
            {started !== null && <JsonBlock value={started} label="Started" />}
            {message !== null && <CodeBlock label="Message">{message}</CodeBlock>}
            {headers !== null && <JsonBlock value={headers} label="Headers" />}
            {body === null ? (
              <p className="text-muted">Its content is not kept any more.</p>
            ) : (
              <CodeBlock label="Body">{body}</CodeBlock>
            )}
          </>
        )}
      </Loaded>
    </Dialog>
  );
}
