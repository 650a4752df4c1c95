import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { rpc, trpc } from "../api/clients.ts";
import { isNotFound } from "../api/failures.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { NotFoundPage } from "../ui/not-found-page.tsx";
import { Page } from "../ui/page.tsx";
import { useToast } from "../ui/toast.tsx";
import { Events } from "./events.tsx";
import { RotateSecret } from "./rotate-secret.tsx";
import { Settings } from "./settings.tsx";
import { EditTrigger } from "./trigger-form.tsx";
import { type NewSecret, TriggerSecret } from "./trigger-secret.tsx";
import { TryTrigger } from "./try-trigger.tsx";

/** One trigger: what it starts, and what it has received. */
export function TriggerPage() {
  const { triggerId } = useParams({ from: "/session/triggers/$triggerId" });
  const wId = useWorkspaceId();
  const navigate = useNavigate();
  const say = useToast();
  const [doing, setDoing] = useState<"edit" | "try" | "rotate" | "remove">();
  const [made, setMade] = useState<NewSecret>();
  const close = () => setDoing(undefined);
  const shown = useQuery(trpc.triggers.read.queryOptions({ wId, triggerId }));
  const trigger = shown.data?.trigger;
  const switching = useMutation({
    mutationKey: trpc.triggers.pathKey(),
    mutationFn: async (version: number) => {
      const isEnabled = trigger?.disabledFor !== null;
      return rpc.triggers.update.mutate({ wId, triggerId, version, isEnabled });
    },
    onSuccess: ({ trigger: { disabledFor } }) =>
      say(disabledFor === null ? "Switched on" : "Switched off"),
  });
  if (isNotFound(shown.error)) return <NotFoundPage />;
  return (
    <Page
      title={trigger?.name ?? "Trigger"}
      actions={
        trigger && (
          <>
            <Button onClick={() => setDoing("try")}>Try it</Button>
            <Button isBusy={switching.isPending} onClick={() => switching.mutate(trigger.version)}>
              {trigger.disabledFor === null ? "Switch off" : "Switch on"}
            </Button>
            <Menu trigger={<Button>Actions</Button>}>
              <MenuItem onSelect={() => setDoing("edit")}>Edit …</MenuItem>
              <MenuItem onSelect={() => setDoing("rotate")}>Rotate secret …</MenuItem>
              <MenuItem onSelect={() => setDoing("remove")}>Remove …</MenuItem>
            </Menu>
          </>
        )
      }
    >
      {switching.isError && <ErrorNotice error={switching.error} />}
      <Loaded query={shown} label="the trigger">
        {(data) => (
          <>
            <Settings trigger={data.trigger} />
            <Events isOn={data.trigger.disabledFor === null} />
          </>
        )}
      </Loaded>
      {trigger && doing === "edit" && (
        <EditTrigger
          trigger={trigger}
          onClose={close}
          onDone={() => {
            close();
            say("Trigger saved");
          }}
        />
      )}
      {doing === "try" && <TryTrigger triggerId={triggerId} onClose={close} />}
      {trigger && doing === "rotate" && (
        <RotateSecret
          trigger={trigger}
          onRotate={(secret) => {
            close();
            setMade(secret);
          }}
          onClose={close}
        />
      )}
      {made && <TriggerSecret made={made} onClose={() => setMade(undefined)} />}
      {trigger && doing === "remove" && (
        <ConfirmDialog
          title="Remove trigger"
          description="It receives nothing more, and its events are deleted. This cannot be undone."
          word={trigger.name}
          changes={trpc.triggers.listAll.pathKey()}
          onClose={close}
          onConfirm={async () => {
            await rpc.triggers.remove.mutate({ wId, triggerId, version: trigger.version });
            await navigate({ to: "/triggers" });
            say(`${trigger.name} removed`);
          }}
        />
      )}
    </Page>
  );
}
