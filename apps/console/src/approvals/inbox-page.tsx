import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type WaitingCall, waitingOf } from "parley-client";
import { useRef } from "react";
import { trpc } from "../api/clients.ts";
import { buttonLook } from "../ui/button.tsx";
import { Command, EmptyState } from "../ui/empty-state.tsx";
import { SelectField } from "../ui/field.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { useToast } from "../ui/toast.tsx";
import { useWaiting } from "./use-waiting.ts";
import { WaitingItem } from "./waiting-item.tsx";

/** How often the inbox is refreshed. */
const HERE_MS = 4000;

const kinds = {
  approvals: { name: "Approvals", kind: "approval" },
  questions: { name: "Questions", kind: "question" },
  access: { name: "Tool access", kind: "permission" },
} as const satisfies Record<string, { name: string; kind: WaitingCall["kind"] }>;

/** The calls of all conversations that wait for a person, to be decided here. */
export function InboxPage() {
  const { after, show } = useSearch({ from: "/session/approvals" });
  const navigate = useNavigate({ from: "/approvals" });
  const queryClient = useQueryClient();
  const say = useToast();
  const list = useRef<HTMLDivElement>(null);
  const reading = useWaiting({ after, everyMs: HERE_MS });
  const shown = reading.data?.blockedActions.filter(
    (call) => show === undefined || waitingOf(call).kind === kinds[show].kind,
  );
  const onDone = async () => {
    await queryClient.invalidateQueries(trpc.actions.pathFilter());
    say("Decision sent");
    // The button that had the focus is gone.
    list.current?.focus();
  };
  return (
    <Page title="Approvals">
      <search className="sm:max-w-xs">
        <SelectField
          label="Show"
          value={show ?? ""}
          onChange={({ target: { value } }) =>
            void navigate({ search: (before) => ({ ...before, show: kindOf(value) }) })
          }
        >
          <option value="">All pending</option>
          {Object.entries(kinds).map(([kind, { name }]) => (
            <option key={kind} value={kind}>
              {name}
            </option>
          ))}
        </SelectField>
      </search>
      <Loaded query={reading} label="the pending calls">
        {({ blockedActions, hasMore, lastValue }) => (
          <div ref={list} tabIndex={-1} className="grid gap-5 outline-none">
            <p role="status" className="text-sm text-muted">
              {countText(blockedActions.length, hasMore)}
            </p>
            {blockedActions.length === 0 && <NothingWaits />}
            {blockedActions.length > 0 && shown?.length === 0 && (
              <EmptyState title="None of this kind on this page">
                <Link to="." search={{ after }} className={buttonLook()}>
                  Show all
                </Link>
              </EmptyState>
            )}
            <ol aria-label="Pending calls" className="grid gap-5">
              {shown?.map((call) => (
                <WaitingItem key={call.actionId} call={call} onDone={onDone} />
              ))}
            </ol>
            <Pager after={after} next={hasMore ? lastValue : null} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function kindOf(value: string): keyof typeof kinds | undefined {
  return value === "approvals" || value === "questions" || value === "access" ? value : undefined;
}

function countText(count: number, hasMore: boolean): string {
  if (hasMore) return `${count} pending on this page, more on the next`;
  return `${count} pending`;
}

function NothingWaits() {
  return (
    <EmptyState title="Nothing needs your attention">
      <p className="text-muted">
        Questions from agents and tool calls that need approval appear here. To require approval for
        every call of a tool:
      </p>
      <Command>{"parley tools update <tool> --default-stake high"}</Command>
    </EmptyState>
  );
}
