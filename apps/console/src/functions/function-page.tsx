import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { hasRole } from "../api/access.ts";
import { isNotFound } from "../api/failures.ts";
import { useSession, useWorkspaceId } from "../api/use-session.ts";
import { StatusBadge } from "../ui/badge.tsx";
import { JsonBlock } from "../ui/code-block.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { NotFoundPage } from "../ui/not-found-page.tsx";
import { Page } from "../ui/page.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { formatDuration, formatNumber } from "../ui/time.tsx";
import { InvocationTable } from "./invocation-table.tsx";
import { functionQuery, type ShownFunction } from "./read-function.ts";
import { RunForm } from "./run-form.tsx";

const EditFunction = lazy(async () => ({
  default: (await import("./edit/edit-function.tsx")).EditFunction,
}));
const Versions = lazy(async () => ({
  default: (await import("./versions/versions.tsx")).Versions,
}));

const tabs = { run: "Run", invocations: "Invocations", definition: "Definition" } as const;
const builderTabs = { ...tabs, edit: "Edit", versions: "Versions" } as const;

/** One function: to run, with its invocations and its definition. */
export function FunctionPage() {
  const { functionId } = useParams({ from: "/session/functions/$functionId" });
  const { view = "run", of } = useSearch({ from: "/session/functions/$functionId" });
  const isBuilder = hasRole(useSession(), "builder");
  const navigate = useNavigate({ from: "/functions/$functionId" });
  const reading = useQuery(functionQuery({ wId: useWorkspaceId(), isBuilder, functionId }));
  const { data } = reading;
  if (data === null || isNotFound(reading.error)) return <NotFoundPage />;
  return (
    <Page title={data?.slug ?? "Function"}>
      <Loaded query={reading} label="the function" />
      {data && (
        <>
          <p className="text-muted">
            {data.description} {data.status === "archived" && <StatusBadge status="archived" />}
          </p>
          <Tabs
            label="Function views"
            tabs={isBuilder ? builderTabs : tabs}
            value={view}
            onChange={(next) =>
              void navigate({ search: { view: next === "run" ? undefined : next } })
            }
          >
            <Suspense fallback={<Skeleton label="the view" />}>
              {view === "edit" && isBuilder && (
                <EditFunction key={`${data.sId} ${of}`} slug={data.slug} of={of} />
              )}
              {view === "versions" && isBuilder && <Versions slug={data.slug} />}
            </Suspense>
            {view === "run" && <RunForm key={data.sId} one={data} />}
            {view === "invocations" && <InvocationTable functionId={functionId} />}
            {view === "definition" && <Definition one={data} />}
          </Tabs>
        </>
      )}
    </Page>
  );
}

function Definition({ one }: { readonly one: ShownFunction }) {
  const facts: readonly (readonly [string, string])[] = [
    ["Version", String(one.version)],
    ["Timeout", formatDuration(one.timeoutMs)],
    ["Max result size", `${formatNumber(one.maxOutputBytes)} bytes`],
    ["Max log lines", formatNumber(one.maxLogLines)],
    ["Max concurrent", formatNumber(one.maxConcurrent)],
    ["Interrupted invocations", one.retryable ? "rerun" : "not rerun"],
    ["Calls by agents", one.requiresApproval ? "need approval" : "need no approval"],
  ];
  return (
    <div className="grid gap-4">
      <dl className="grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
        {facts.map(([name, value]) => (
          <div key={name} className="rounded-md bg-surface px-3 py-2">
            <dt className="text-sm text-muted">{name}</dt>
            <dd className="font-medium">{value}</dd>
          </div>
        ))}
      </dl>
      <h2 className="font-semibold">Input schema</h2>
      <JsonBlock label="Input schema" value={one.inputSchema ?? {}} />
      <h2 className="font-semibold">Result schema</h2>
      <JsonBlock label="Result schema" value={one.outputSchema ?? {}} />
      {one.program !== undefined && (
        <>
          <h2 className="font-semibold">Program</h2>
          <JsonBlock label="Program" value={one.program} />
        </>
      )}
    </div>
  );
}
