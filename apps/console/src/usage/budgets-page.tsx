import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { hasRole } from "../api/access.ts";
import { rpc, trpc } from "../api/clients.ts";
import { useSession, useWorkspaceId } from "../api/use-session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Icon } from "../ui/icon.tsx";
import { ListPage } from "../ui/list.tsx";
import { NameAndId } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";
import type { Budget } from "./budget.ts";
import { BudgetForm } from "./budget-form.tsx";
import { SpentBar } from "./spent-bar.tsx";

/** The open dialog. */
type Doing =
  | { readonly what: "create" }
  | { readonly what: "change" | "delete"; readonly budget: Budget };

const words: Readonly<Record<Budget["scope"], string>> = {
  server: "server",
  workspace: "workspace",
  api_key: "key",
  agent: "agent",
  user: "user",
  conversation: "conversation",
};

/** Periods without an end. */
const endless: Readonly<Record<string, string>> = { all: "in all", answer: "in an answer" };

/** The budgets of the workspace: builders see them, admins change them. */
export function BudgetsPage() {
  const wId = useWorkspaceId();
  const isAdmin = hasRole(useSession(), "admin");
  const { after } = useSearch({ from: "/session/budgets" });
  const say = useToast();
  const [doing, setDoing] = useState<Doing>();
  const close = () => setDoing(undefined);
  const list = useQuery(trpc.budgets.list.queryOptions({ wId, lastValue: after }));
  return (
    <ListPage
      name="Budgets"
      query={list}
      rowsOf={({ budgets }) => budgets}
      keyOf={({ sId }) => sId}
      after={after}
      actions={
        isAdmin && (
          <Button variant="primary" onClick={() => setDoing({ what: "create" })}>
            <Icon name="plus" />
            Create budget
          </Button>
        )
      }
      least={["Period"]}
      columns={{
        Name: NameAndId,
        Limits: Limited,
        Spent: SpentBar,
        Period: ({ period, endsAt, timezone }) =>
          endsAt === null ? (
            (endless[period] ?? period)
          ) : (
            <span>
              {period} until <Time at={endsAt} isAbsolute />
              <span className="block text-sm text-muted">{timezone}</span>
            </span>
          ),
        Kind: ({ isHard, isOperators }) => (
          <span className="flex flex-wrap gap-1">
            <Badge tone={isHard ? "warn" : "neutral"}>{isHard ? "hard" : "soft"}</Badge>
            {isOperators && <Badge>operator’s</Badge>}
          </span>
        ),
        ...(isAdmin && {
          Actions: (budget: Budget) =>
            !budget.isOperators && (
              <span className="flex gap-2">
                <Button
                  isSmall
                  of={budget.name}
                  onClick={() => setDoing({ what: "change", budget })}
                >
                  Edit
                </Button>
                <Button
                  isSmall
                  of={budget.name}
                  onClick={() => setDoing({ what: "delete", budget })}
                >
                  Delete
                </Button>
              </span>
            ),
        }),
      }}
      empty={
        <EmptyState title="No budgets yet">
          <p className="text-muted">
            A budget limits what models may cost, how often tools are called, the time of functions
            or what is stored: in the workspace, or for a key, an agent, a user or a conversation.
          </p>
        </EmptyState>
      }
    >
      {(doing?.what === "create" || doing?.what === "change") && (
        <BudgetForm
          {...(doing.what === "change" && { budget: doing.budget })}
          onClose={close}
          onDone={(name) => {
            close();
            say(doing.what === "create" ? `${name} created` : `${name} saved`);
          }}
        />
      )}
      {doing?.what === "delete" && (
        <ConfirmDialog
          title="Delete budget"
          description="Nothing is limited by it from then on, and what was counted for it is gone."
          word={doing.budget.name}
          changes={trpc.budgets.pathKey()}
          onClose={close}
          onConfirm={async () => {
            await rpc.budgets.delete.mutate({ wId, budgetId: doing.budget.sId });
            say(`${doing.budget.name} deleted`);
          }}
        />
      )}
    </ListPage>
  );
}

function Limited({ scope, subjectId, subjects, usedUp }: Budget) {
  const word = words[scope];
  if (scope === "workspace" || scope === "server") return `the ${word}`;
  if (subjectId === null) {
    return (
      <span>
        each {word}
        <span className="block text-sm text-muted">
          {subjects} have spent something, {usedUp} all of it
        </span>
      </span>
    );
  }
  return (
    <span>
      {word} <code className="font-mono text-sm">{subjectId}</code>
    </span>
  );
}
