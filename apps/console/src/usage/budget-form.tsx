import { periodsOfMeasure } from "@parley/schema/budget-periods";
import { useMutation } from "@tanstack/react-query";
import type { Input } from "parley-client";
import { useState } from "react";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { CheckField, SelectField, TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import type { Budget } from "./budget.ts";

type Created = Input<"budgets.create">;

const scopes: Readonly<Record<Created["scope"], string>> = {
  workspace: "The workspace",
  api_key: "Keys",
  agent: "Agents",
  user: "Users",
  conversation: "Conversations",
};

type Measure = NonNullable<Created["measure"]>;

const measures: Readonly<Record<Measure, string>> = {
  money: "Money, in the currency of the workspace",
  tool_calls: "Calls of tools",
  processor_seconds: "Seconds of processor time of functions",
  stored_bytes: "Stored bytes",
};

const periods: Readonly<Record<Created["period"], string>> = {
  answer: "An answer",
  minute: "A minute",
  day: "A day",
  week: "A week",
  month: "A month",
  all: "In all",
};

/** The period that most budgets of a measure have. */
const preferred = (measure: Measure) =>
  measure === "money" ? "month" : periodsOfMeasure[measure][0];

const optionsOf = (words: Readonly<Record<string, string>>) =>
  Object.entries(words).map(([value, word]) => (
    <option key={value} value={value}>
      {word}
    </option>
  ));

interface BudgetFormProps {
  /** The budget to change; undefined to create one. */
  readonly budget?: Budget;
  readonly onDone: (name: string) => void;
  readonly onClose: () => void;
}

/** Creates a budget, or changes its name, its limit and whether it is hard. */
export function BudgetForm({ budget, onDone, onClose }: BudgetFormProps) {
  const wId = useWorkspaceId();
  const [scope, setScope] = useState("workspace");
  const [measure, setMeasure] = useState<Measure>(budget?.measure ?? "money");
  const saving = useMutation({
    mutationKey: trpc.budgets.pathKey(),
    mutationFn: async (form: FormData) => {
      const textOf = (name: string) => String(form.get(name));
      const changes = {
        wId,
        name: textOf("name"),
        limit: textOf("limit"),
        isHard: measure !== "money" || form.has("isHard"),
      };
      if (budget !== undefined) {
        return rpc.budgets.update.mutate({ ...changes, budgetId: budget.sId });
      }
      const subjectId = scope === "workspace" ? "" : textOf("subjectId");
      return rpc.budgets.create.mutate({
        ...changes,
        // The options are those of the table.
        scope: scope as Created["scope"],
        measure,
        period: textOf("period") as Created["period"],
        timezone: textOf("timezone"),
        ...(subjectId !== "" && { subjectId }),
      });
    },
    onSuccess: (done) => onDone(done.budget.name),
  });
  return (
    <FormDialog
      title={budget === undefined ? "Create budget" : `Edit ${budget.name}`}
      submit={budget === undefined ? "Create" : "Save"}
      action={saving}
      onSubmit={(form) => saving.mutate(form)}
      onClose={onClose}
    >
      <TextField
        label="Name"
        name="name"
        required
        maxLength={255}
        autoComplete="off"
        defaultValue={budget?.name ?? ""}
      />
      <TextField
        label="Limit"
        name="limit"
        required
        inputMode="decimal"
        autoComplete="off"
        hint="Such as 12.50; a whole number of all but money"
        defaultValue={budget?.limit ?? ""}
      />
      {budget === undefined && (
        <>
          <SelectField
            label="Of"
            value={measure}
            // The options are those of the table.
            onChange={(event) => setMeasure(event.target.value as Measure)}
          >
            {optionsOf(measures)}
          </SelectField>
          <SelectField
            label="Limits"
            value={scope}
            onChange={(event) => setScope(event.target.value)}
          >
            {optionsOf(scopes)}
          </SelectField>
          {scope !== "workspace" && (
            <TextField
              label="Only one of them"
              name="subjectId"
              maxLength={255}
              autoComplete="off"
              hint="Its id. If empty, each of them may spend the limit by itself."
            />
          )}
          <SelectField label="Period" name="period" key={measure} defaultValue={preferred(measure)}>
            {optionsOf(
              Object.fromEntries(
                periodsOfMeasure[measure].map((period) => [period, periods[period]]),
              ),
            )}
          </SelectField>
          <TextField
            label="Time zone"
            name="timezone"
            required
            autoComplete="off"
            defaultValue="UTC"
            hint="Periods begin at midnight there, weeks on Monday."
          />
        </>
      )}
      {measure === "money" && (
        <CheckField
          label="Hard"
          name="isHard"
          hint="Calls that could exceed it are refused, and answers end. Otherwise it only warns."
          defaultChecked={budget?.isHard ?? true}
        />
      )}
    </FormDialog>
  );
}
