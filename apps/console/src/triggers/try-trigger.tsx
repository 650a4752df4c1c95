import { useMutation } from "@tanstack/react-query";
import type { Input } from "parley-client";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { TextArea } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { useToast } from "../ui/toast.tsx";

interface TryTriggerProps {
  readonly triggerId: string;
  readonly onClose: () => void;
}

/** JSON that a person has written. Throws what is wrong with it, in words. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error("The body is not JSON", { cause });
  }
}

/** Tries a trigger with a sample, which is then among its events and starts nothing. */
export function TryTrigger({ triggerId, onClose }: TryTriggerProps) {
  const wId = useWorkspaceId();
  const say = useToast();
  const trying = useMutation({
    mutationKey: trpc.triggers.listEvents.pathKey(),
    mutationFn: async (form: FormData) => {
      // The server judges what it is given.
      const body = readJson(String(form.get("body"))) as Input<"triggers.test">["body"];
      return rpc.triggers.test.mutate({ wId, triggerId, body });
    },
    onSuccess: () => {
      onClose();
      say("Sample queued");
    },
  });
  return (
    <FormDialog
      title="Try it"
      description="The filter and the mapping run as for an event. Nothing is started."
      submit="Try"
      action={trying}
      onSubmit={(form) => trying.mutate(form)}
      onClose={onClose}
    >
      <TextArea
        label="Body"
        name="body"
        required
        rows={8}
        className="font-mono text-sm"
        defaultValue={"{}"}
        hint="JSON of an event."
      />
    </FormDialog>
  );
}
