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
import { SecretDialog } from "../ui/secret-dialog.tsx";
import { useToast } from "../ui/toast.tsx";
import { Deliveries } from "./deliveries.tsx";
import { RotateSecret } from "./rotate-secret.tsx";
import { SendSample } from "./send-sample.tsx";
import { Settings } from "./settings.tsx";
import { WebhookForm } from "./webhook-form.tsx";

/** The open dialog. */
type Doing =
  | { readonly what: "change" | "sample" | "rotate" | "remove" }
  | { readonly what: "show"; readonly secret: string };

/** One webhook: what it is told of, and its deliveries. */
export function WebhookPage() {
  const { webhookId } = useParams({ from: "/session/webhooks/$webhookId" });
  const wId = useWorkspaceId();
  const navigate = useNavigate();
  const say = useToast();
  const [doing, setDoing] = useState<Doing>();
  const close = () => setDoing(undefined);
  const shown = useQuery(trpc.webhooks.get.queryOptions({ wId, webhookId }));
  const webhook = shown.data?.webhook;
  const switching = useMutation({
    mutationKey: trpc.webhooks.pathKey(),
    mutationFn: async (version: number) =>
      rpc.webhooks.update.mutate({
        wId,
        webhookId,
        version,
        isEnabled: webhook?.disabledFor !== null,
      }),
    onSuccess: ({ webhook: { disabledFor } }) =>
      say(disabledFor === null ? "Switched on" : "Switched off"),
  });
  if (isNotFound(shown.error)) return <NotFoundPage />;
  return (
    <Page
      title={webhook?.url ?? "Webhook"}
      actions={
        webhook && (
          <>
            <Button onClick={() => setDoing({ what: "sample" })}>Send a sample</Button>
            <Button isBusy={switching.isPending} onClick={() => switching.mutate(webhook.version)}>
              {webhook.disabledFor === null ? "Switch off" : "Switch on"}
            </Button>
            <Menu trigger={<Button>Actions</Button>}>
              <MenuItem onSelect={() => setDoing({ what: "change" })}>Edit …</MenuItem>
              <MenuItem onSelect={() => setDoing({ what: "rotate" })}>Rotate secret …</MenuItem>
              <MenuItem onSelect={() => setDoing({ what: "remove" })}>Remove …</MenuItem>
            </Menu>
          </>
        )
      }
    >
      {switching.isError && <ErrorNotice error={switching.error} />}
      <Loaded query={shown} label="the webhook">
        {(data) => (
          <>
            <Settings webhook={data.webhook} />
            <Deliveries isOn={data.webhook.disabledFor === null} />
          </>
        )}
      </Loaded>
      {webhook && doing?.what === "change" && (
        <WebhookForm
          webhook={webhook}
          onClose={close}
          onDone={() => {
            close();
            say("Webhook saved");
          }}
        />
      )}
      {webhook && doing?.what === "sample" && <SendSample webhook={webhook} onClose={close} />}
      {doing?.what === "rotate" && (
        <RotateSecret
          webhookId={webhookId}
          onRotate={(secret) => setDoing({ what: "show", secret })}
          onClose={close}
        />
      )}
      {doing?.what === "show" && (
        <SecretDialog title="New secret" secret={doing.secret} onClose={close} />
      )}
      {webhook && doing?.what === "remove" && (
        <ConfirmDialog
          title="Remove webhook"
          description="It is told of nothing more, and its deliveries are deleted. This cannot be undone."
          word={webhook.url}
          changes={trpc.webhooks.list.pathKey()}
          onClose={close}
          onConfirm={async () => {
            await rpc.webhooks.remove.mutate({ wId, webhookId, version: webhook.version });
            await navigate({ to: "/webhooks" });
            say(`${webhook.url} removed`);
          }}
        />
      )}
    </Page>
  );
}
