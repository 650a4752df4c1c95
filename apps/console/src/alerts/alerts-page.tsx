import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { hasRole } from "../api/access.ts";
import { rpc, trpc } from "../api/clients.ts";
import { useSession, useWorkspaceId } from "../api/use-session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Icon } from "../ui/icon.tsx";
import { List } from "../ui/list.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { Page } from "../ui/page.tsx";
import { Section } from "../ui/section.tsx";
import { Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";
import { AlertForm } from "./alert-form.tsx";
import { Incidents } from "./incidents.tsx";
import { type Alert, describeRule } from "./words.ts";

/** The open dialog: of an alert to change, or of a new one. */
type Doing = { readonly alert?: Alert };

/** The incidents of the workspace, and the alerts that they are of. */
export function AlertsPage() {
  const wId = useWorkspaceId();
  const isAdmin = hasRole(useSession(), "admin");
  const say = useToast();
  const [doing, setDoing] = useState<Doing>();
  const list = useQuery(trpc.alerts.list.queryOptions({ wId }));
  const changing = useMutation({
    mutationKey: trpc.alerts.pathKey(),
    mutationFn: async ({ alert, remove = false }: { alert: Alert; remove?: boolean }) => {
      const { sId: alertId, version } = alert;
      const named = { wId, alertId, version };
      if (remove) await rpc.alerts.remove.mutate(named);
      else await rpc.alerts.update.mutate({ ...named, isEnabled: !alert.isEnabled });
    },
    onSuccess: () => say("Alert saved"),
  });
  const pending = changing.isPending ? changing.variables : undefined;
  /** An alert as it will be once what was just clicked is stored. */
  const toShown = (alert: Alert): Alert[] => {
    if (pending?.alert.sId !== alert.sId) return [alert];
    if (pending.remove) return alert.isBuiltIn ? [alert] : [];
    return [{ ...alert, isEnabled: !pending.alert.isEnabled }];
  };
  return (
    <Page
      title="Alerts"
      actions={
        isAdmin && (
          <Button variant="primary" onClick={() => setDoing({})}>
            <Icon name="plus" />
            Create alert
          </Button>
        )
      }
    >
      {changing.isError && <ErrorNotice error={changing.error} />}
      <Incidents />
      <Section title="Rules">
        <List
          name="Alerts"
          query={list}
          rowsOf={({ alerts }) => alerts.flatMap(toShown)}
          keyOf={({ sId }) => sId}
          empty={null}
          columns={{
            Name: ({ name }) => <span className="font-medium">{name}</span>,
            State: StateOf,
            Opens: describeRule,
            Agent: ({ agentId }) => agentId ?? "All",
            ...(isAdmin && {
              Actions: (alert: Alert) => (
                <Menu trigger={<Button aria-label={`Actions of ${alert.name}`}>Actions</Button>}>
                  <MenuItem onSelect={() => setDoing({ alert })}>Edit …</MenuItem>
                  <MenuItem onSelect={() => changing.mutate({ alert })}>
                    {alert.isEnabled ? "Switch off" : "Switch on"}
                  </MenuItem>
                  {(!alert.isBuiltIn || alert.updatedAt !== null) && (
                    <MenuItem onSelect={() => changing.mutate({ alert, remove: true })}>
                      {alert.isBuiltIn ? "Reset" : "Remove"}
                    </MenuItem>
                  )}
                </Menu>
              ),
            }),
          }}
        />
      </Section>
      {doing && (
        <AlertForm
          {...(doing.alert && { alert: doing.alert })}
          onClose={() => setDoing(undefined)}
          onDone={() => {
            setDoing(undefined);
            say("Alert saved");
          }}
        />
      )}
    </Page>
  );
}

/** Whether an alert is open, and since when. */
function StateOf({ isEnabled, openSince }: Pick<Alert, "isEnabled" | "openSince">) {
  if (!isEnabled) return <Badge>off</Badge>;
  if (openSince === null) return <Badge tone="good">OK</Badge>;
  return (
    <span>
      <Badge tone="bad">open</Badge>{" "}
      <span className="text-sm text-muted">
        since <Time at={openSince} isAbsolute />
      </span>
    </span>
  );
}
