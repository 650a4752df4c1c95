import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { Command, EmptyState } from "../ui/empty-state.tsx";
import { Icon } from "../ui/icon.tsx";
import { ListPage } from "../ui/list.tsx";
import { rowLink } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { Health } from "./health.tsx";
import { sourceNames, startsOf } from "./states.ts";
import { TriggerForm } from "./trigger-form.tsx";
import { type NewSecret, TriggerSecret } from "./trigger-secret.tsx";

/** The triggers that the key may change, and whether their events succeed. */
export function TriggerListPage() {
  const wId = useWorkspaceId();
  const { after } = useSearch({ from: "/session/triggers" });
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<NewSecret>();
  const list = useQuery(trpc.triggers.listAll.queryOptions({ wId, lastValue: after }));
  return (
    <ListPage
      name="Triggers"
      query={list}
      rowsOf={({ triggers }) => triggers}
      keyOf={({ sId }) => sId}
      after={after}
      actions={
        <Button variant="primary" onClick={() => setCreating(true)}>
          <Icon name="plus" />
          Create trigger
        </Button>
      }
      columns={{
        Name: ({ sId, name, description }) => (
          <span>
            <Link to="/triggers/$triggerId" params={{ triggerId: sId }} className={rowLink}>
              {name}
            </Link>
            <span className="block text-sm text-muted">{description}</span>
          </span>
        ),
        State: Health,
        Source: ({ source }) => sourceNames[source.type],
        Starts: startsOf,
        "Last event": ({ lastEventAt }) => lastEventAt !== null && <Time at={lastEventAt} />,
      }}
      empty={
        <EmptyState title="No triggers yet">
          <p className="text-muted">
            A trigger is a URL at which another service sends events that start an agent or a
            function. Create one here, or with:
          </p>
          <Command>parley triggers create issues --source github --agent helper</Command>
        </EmptyState>
      }
    >
      {isCreating && (
        <TriggerForm
          onClose={() => setCreating(false)}
          onDone={({ trigger, secret, url }) => {
            setCreating(false);
            setCreated({ name: trigger.name, secret, url });
          }}
        />
      )}
      {created && <TriggerSecret made={created} onClose={() => setCreated(undefined)} />}
    </ListPage>
  );
}
