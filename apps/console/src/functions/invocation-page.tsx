import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { InvocationEvent } from "parley-client";
import { useEffect } from "react";
import { trpc } from "../api/clients.ts";
import { isNotFound } from "../api/failures.ts";
import { useParley, useWorkspaceId } from "../api/use-session.ts";
import { RunTrace } from "../traces/trace-view.tsx";
import { StatusBadge } from "../ui/badge.tsx";
import { Button, buttonLook } from "../ui/button.tsx";
import { JsonBlock } from "../ui/code-block.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { EventList } from "../ui/event-list.tsx";
import { Icon } from "../ui/icon.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { NotFoundPage } from "../ui/not-found-page.tsx";
import { Page } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import { useEvents } from "../ui/use-events.ts";
import { InvocationOutput } from "./invocation-output.tsx";
import { runQuery } from "./read-run.ts";
import { useInvoke } from "./use-invoke.ts";

const here = "/session/functions/$functionId/invocations/$invocationId";

/** One invocation: its events as they arrive, its outcome, and buttons to rerun it. */
export function InvocationPage() {
  const call = useParams({ from: here });
  const { functionId, invocationId } = call;
  const wId = useWorkspaceId();
  const parley = useParley();
  const run = useQuery(runQuery(wId, invocationId));
  const queryClient = useQueryClient();
  const reading = useQuery(trpc.invocations.get.queryOptions({ wId, ...call }));
  const { data, error } = reading;
  const followed = useEvents<InvocationEvent>([functionId, invocationId], (options) =>
    parley.invocations.follow({ ...call, include: ["log", "progress"] }, options),
  );
  const { isOver } = followed;
  useEffect(() => {
    if (isOver) void queryClient.invalidateQueries(trpc.invocations.get.pathFilter());
  }, [isOver, queryClient]);
  const cancelling = useMutation({
    mutationKey: trpc.invocations.pathKey(),
    mutationFn: async () => parley.invocations.cancel(call),
  });
  // A tool call invokes an internal function of its server, which is never shown.
  const called = run.data?.kind === "tool_call" ? (run.data.tool ?? undefined) : undefined;
  if (isNotFound(error)) return <NotFoundPage />;
  const isRunning = data?.invocation.status === "created" && !isOver;
  return (
    <Page
      title={called === undefined ? `Invocation of ${functionId}` : `Call to ${called.name}`}
      actions={
        <>
          {isRunning && (
            <Button isBusy={cancelling.isPending} onClick={() => cancelling.mutate()}>
              <Icon name="stop" />
              Cancel
            </Button>
          )}
          {run.data?.kind === "invocation" && <RunAgain {...call} input={run.data.input} />}
        </>
      }
    >
      {cancelling.isError && <ErrorNotice error={cancelling.error} />}
      <Loaded query={reading} label="the invocation" lines={3} />
      {data && (
        <p className="flex flex-wrap items-center gap-3 text-muted">
          <code className="font-mono text-sm">{invocationId}</code>
          <StatusBadge status={data.invocation.status} />
          <Time at={data.invocation.createdAt} />
          {called === undefined ? (
            <Link
              to="/functions/$functionId"
              params={{ functionId }}
              search={{ view: "invocations" }}
              className="text-accent underline"
            >
              All invocations
            </Link>
          ) : (
            <Link
              to="/tools/$toolId"
              params={{ toolId: called.sId }}
              className="text-accent underline"
            >
              Open tool
            </Link>
          )}
        </p>
      )}
      {run.error && !error && (
        <ErrorNotice
          title="The input could not be loaded"
          error={run.error}
          onRetry={() => void run.refetch()}
        />
      )}
      {run.data && (
        <details className="rounded-md border border-line px-3 py-2">
          <summary>Input</summary>
          <JsonBlock label="Input" value={run.data.input} />
        </details>
      )}
      <InvocationOutput events={followed.events} outcome={data?.outcome} />
      <h2 className="font-semibold">Trace</h2>
      <RunTrace runId={invocationId} />
      {followed.error !== undefined && <ErrorNotice error={followed.error} />}
      <h2 className="font-semibold">Events</h2>
      <EventList label="Events" events={followed.events} />
    </Page>
  );
}

interface RunAgainProps {
  readonly functionId: string;
  readonly invocationId: string;
  readonly input: unknown;
}

/** Reruns the function with the same input or an edited one. */
function RunAgain({ functionId, invocationId, input }: RunAgainProps) {
  const invoke = useInvoke(functionId);
  return (
    <>
      <Button isBusy={invoke.isPending} onClick={() => invoke.mutate(input)}>
        <Icon name="retry" />
        Rerun
      </Button>
      <Link
        to="/functions/$functionId"
        params={{ functionId }}
        search={{ from: invocationId }}
        className={buttonLook()}
      >
        Edit and rerun
      </Link>
      {invoke.isError && <ErrorNotice title="The function was not rerun" error={invoke.error} />}
    </>
  );
}
