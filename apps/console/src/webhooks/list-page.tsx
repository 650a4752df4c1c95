import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { Command, EmptyState } from "../ui/empty-state.tsx";
import { Icon } from "../ui/icon.tsx";
import { ListPage } from "../ui/list.tsx";
import { SecretDialog } from "../ui/secret-dialog.tsx";
import { rowLink } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { Health } from "./health.tsx";
import { WebhookForm } from "./webhook-form.tsx";

/** The open dialog. */
type Doing =
  | { readonly what: "create" }
  | { readonly what: "show"; readonly url: string; readonly secret: string };

/** The webhooks of the workspace, and whether their deliveries succeed. */
export function WebhookListPage() {
  const wId = useWorkspaceId();
  const { after } = useSearch({ from: "/session/webhooks" });
  const [doing, setDoing] = useState<Doing>();
  const close = () => setDoing(undefined);
  const list = useQuery(trpc.webhooks.list.queryOptions({ wId, lastValue: after }));
  return (
    <ListPage
      name="Webhooks"
      query={list}
      rowsOf={({ webhooks }) => webhooks}
      keyOf={({ sId }) => sId}
      after={after}
      actions={
        <Button variant="primary" onClick={() => setDoing({ what: "create" })}>
          <Icon name="plus" />
          Create webhook
        </Button>
      }
      columns={{
        URL: ({ sId, url, description }) => (
          <span>
            <Link to="/webhooks/$webhookId" params={{ webhookId: sId }} className={rowLink}>
              {url}
            </Link>
            <span className="block text-sm text-muted">{description}</span>
          </span>
        ),
        State: Health,
        Events: ({ events }) => (
          <ul>
            {events.map((event) => (
              <li key={event}>
                <code className="font-mono text-sm whitespace-nowrap">{event}</code>
              </li>
            ))}
          </ul>
        ),
        Created: ({ createdAt }) => <Time at={createdAt} />,
      }}
      empty={
        <EmptyState title="No webhooks yet">
          <p className="text-muted">
            A webhook is a URL of yours that this server tells what happens in the workspace. Create
            one here, or with:
          </p>
          <Command>
            parley webhooks create https://shop.example/events --event message.succeeded
          </Command>
        </EmptyState>
      }
    >
      {doing?.what === "create" && (
        <WebhookForm
          onClose={close}
          onDone={({ webhook: { url }, secret = "" }) => setDoing({ what: "show", url, secret })}
        />
      )}
      {doing?.what === "show" && (
        <SecretDialog title={`Secret for ${doing.url}`} secret={doing.secret} onClose={close}>
          <p>With it, your server checks that a delivery comes from this one.</p>
        </SecretDialog>
      )}
    </ListPage>
  );
}
