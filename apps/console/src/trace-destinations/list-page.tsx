import { useMutation, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Command, EmptyState } from "../ui/empty-state.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Icon } from "../ui/icon.tsx";
import { ListPage } from "../ui/list.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { formatNumber, Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";
import { DestinationForm } from "./destination-form.tsx";
import { Health, type TraceDestination } from "./health.tsx";
import { SendAgain } from "./send-again.tsx";

/** The open dialog. */
type Doing =
  | { readonly what: "create" }
  | { readonly what: "edit" | "again" | "remove"; readonly of: TraceDestination };

/** Where the traces of the workspace are sent, how far each destination is, and whether it takes them. */
export function TraceDestinationListPage() {
  const wId = useWorkspaceId();
  const { after } = useSearch({ from: "/session/trace-destinations" });
  const say = useToast();
  const [doing, setDoing] = useState<Doing>();
  const close = () => setDoing(undefined);
  const list = useQuery(trpc.traceDestinations.list.queryOptions({ wId, lastValue: after }));
  const testing = useMutation({
    mutationKey: trpc.traceDestinations.pathKey(),
    mutationFn: async ({ sId }: TraceDestination) =>
      rpc.traceDestinations.test.mutate({ wId, traceDestinationId: sId }),
    onSuccess: () => say("Sample queued"),
  });
  const switching = useMutation({
    mutationKey: trpc.traceDestinations.pathKey(),
    mutationFn: async ({ sId, version, isEnabled }: TraceDestination) => {
      const named = { wId, traceDestinationId: sId, version };
      return rpc.traceDestinations.update.mutate({ ...named, isEnabled: !isEnabled });
    },
    onSuccess: ({ traceDestination }) =>
      say(traceDestination.isEnabled ? "Switched on" : "Switched off"),
  });
  const pending = switching.isPending ? switching.variables : undefined;
  /** A destination as it will be once what was just clicked is stored. */
  const toShown = (one: TraceDestination): TraceDestination =>
    pending?.sId === one.sId ? { ...one, isEnabled: !pending.isEnabled } : one;
  const failed = [testing, switching].find(({ isError }) => isError);
  return (
    <ListPage
      name="Trace destinations"
      query={list}
      rowsOf={({ traceDestinations }) => traceDestinations.map(toShown)}
      keyOf={({ sId }) => sId}
      after={after}
      above={failed && <ErrorNotice error={failed.error} />}
      actions={
        <Button variant="primary" onClick={() => setDoing({ what: "create" })}>
          <Icon name="plus" />
          Add destination
        </Button>
      }
      least={["Sent until"]}
      columns={{
        Name: ({ name, url }) => (
          <span>
            {name}
            <code className="block font-mono text-sm text-muted">{url}</code>
          </span>
        ),
        State: Health,
        Spans: ({ sentSpans, rejectedSpans, skippedRuns }) => (
          <span>
            {formatNumber(sentSpans)} sent
            {rejectedSpans > 0 && (
              <span className="block">{formatNumber(rejectedSpans)} refused</span>
            )}
            {skippedRuns > 0 && (
              <span className="block">{formatNumber(skippedRuns)} runs skipped</span>
            )}
          </span>
        ),
        "Sent until": ({ exportedUntil }) => <Time at={exportedUntil} isAbsolute />,
        Actions: (one) => (
          <Menu
            trigger={
              <Button isSmall of={one.name}>
                Actions
              </Button>
            }
          >
            <MenuItem onSelect={() => testing.mutate(one)}>Send a sample</MenuItem>
            <MenuItem onSelect={() => setDoing({ what: "again", of: one })}>
              Send a period again …
            </MenuItem>
            <MenuItem onSelect={() => switching.mutate(one)}>
              {one.isEnabled ? "Switch off" : "Switch on"}
            </MenuItem>
            <MenuItem onSelect={() => setDoing({ what: "edit", of: one })}>Edit …</MenuItem>
            <MenuItem onSelect={() => setDoing({ what: "remove", of: one })}>Remove …</MenuItem>
          </Menu>
        ),
      }}
      empty={
        <EmptyState title="No trace destinations yet">
          <p className="text-muted">
            A trace destination is a collector that is sent what each answer and invocation spent
            its time on, by OpenTelemetry’s protocol. Add one here, or with:
          </p>
          <Command>
            parley traces destinations create Collector --endpoint
            https://collector.example/v1/traces
          </Command>
        </EmptyState>
      }
    >
      {doing?.what === "create" && (
        <DestinationForm
          onClose={close}
          onDone={() => {
            close();
            say("Destination added");
          }}
        />
      )}
      {doing?.what === "edit" && (
        <DestinationForm
          destination={doing.of}
          onClose={close}
          onDone={() => {
            close();
            say("Destination saved");
          }}
        />
      )}
      {doing?.what === "again" && (
        <SendAgain
          destination={doing.of}
          onClose={close}
          onDone={() => {
            close();
            say("Sending again");
          }}
        />
      )}
      {doing?.what === "remove" && (
        <ConfirmDialog
          title="Remove trace destination"
          description="It is sent nothing more. This cannot be undone."
          word={doing.of.name}
          changes={trpc.traceDestinations.pathKey()}
          onClose={close}
          onConfirm={async () => {
            const { sId, version, name } = doing.of;
            await rpc.traceDestinations.remove.mutate({ wId, traceDestinationId: sId, version });
            say(`${name} removed`);
          }}
        />
      )}
    </ListPage>
  );
}
