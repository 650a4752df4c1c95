import { type ProgramKind, programKinds } from "@parley/schema/program-kinds";
import { type ReactNode, useState } from "react";
import { issuesOf } from "../../api/failures.ts";
import { CodeEditor } from "../../editor/code-editor.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { CheckField, SelectField, TextArea, TextField } from "../../ui/field.tsx";
import { UnsavedGuard } from "../../ui/unsaved-guard.tsx";
import { type Definition, definitionOf, type FunctionDraft } from "./draft.ts";
import { faultsOf } from "./faults.ts";
import { LimitFields } from "./limit-fields.tsx";
import { ProgramFields } from "./program-fields.tsx";

interface FunctionFormProps {
  /** The initial or last saved draft; any other counts as unsaved. */
  readonly initial: FunctionDraft;
  readonly isNew: boolean;
  readonly submitLabel: string;
  readonly isBusy: boolean;
  /** Why the server refused the last submission. */
  readonly refusal: unknown;
  readonly onSubmit: (draft: FunctionDraft, definition: Definition) => void;
  /** Further buttons. */
  readonly children?: ReactNode;
}

/** The editor of a function: each save is a new version. */
export function FunctionForm(props: FunctionFormProps) {
  const { initial, isNew, submitLabel, isBusy, refusal, onSubmit, children } = props;
  const [draft, setDraft] = useState(initial);
  // The submitted draft: the server's problems refer to it, not to later edits.
  const [sent, setSent] = useState<FunctionDraft>();
  const [fault, setFault] = useState<Error>();
  const change = (changed: Partial<FunctionDraft>) => setDraft((all) => ({ ...all, ...changed }));
  const faults = sent && refusal !== null ? faultsOf(sent, issuesOf(refusal)) : undefined;
  const problemsOf = (name: "inputSchema" | "outputSchema" | "behaviour") =>
    sent?.[name] === draft[name] ? faults?.texts[name] : undefined;
  return (
    <form
      aria-label="Function"
      className="grid gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        try {
          const definition = definitionOf(draft);
          setFault(undefined);
          setSent(draft);
          onSubmit(draft, definition);
        } catch (cause) {
          setFault(cause as Error);
        }
      }}
    >
      <UnsavedGuard isUnsaved={draft !== initial && !isBusy} />
      {isNew && (
        <TextField
          label="Slug"
          required
          pattern="[a-z0-9]+(-[a-z0-9]+)*"
          hint="Lowercase words and digits, separated by hyphens. Cannot be changed later."
          autoComplete="off"
          spellCheck={false}
          className="max-w-96 font-mono"
          value={draft.slug}
          onChange={(event) => change({ slug: event.target.value })}
        />
      )}
      <TextArea
        label="Description"
        hint="Shown to agents that may call it"
        rows={2}
        value={draft.description}
        onChange={(event) => change({ description: event.target.value })}
      />
      <SelectField
        label="Runtime"
        className="max-w-xl"
        value={draft.type}
        onChange={({ target: { value } }) => {
          if (value in programKinds) change({ type: value as ProgramKind });
        }}
      >
        {Object.entries(programKinds).map(([type, { label }]) => (
          <option key={type} value={type}>
            {label}
          </option>
        ))}
      </SelectField>
      <ProgramFields
        draft={draft}
        sent={sent}
        faults={faults}
        behaviourProblems={problemsOf("behaviour")}
        onChange={change}
      />
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <CodeEditor
          label="Input schema"
          language="json"
          hint="JSON Schema (draft-07, 2019-09 or 2020-12); empty for any input"
          initial={draft.inputSchema}
          onChange={(inputSchema) => change({ inputSchema })}
          problems={problemsOf("inputSchema")}
        />
        <CodeEditor
          label="Result schema"
          language="json"
          hint="JSON Schema (draft-07, 2019-09 or 2020-12); empty for any result"
          initial={draft.outputSchema}
          onChange={(outputSchema) => change({ outputSchema })}
          problems={problemsOf("outputSchema")}
        />
      </div>
      <LimitFields
        kind={draft.type}
        limits={draft.limits}
        onChange={(limits) => change({ limits })}
      />
      <div className="grid gap-2">
        <CheckField
          label="Rerun interrupted invocations"
          hint="Only if running it twice is harmless"
          checked={draft.retryable}
          onChange={(event) => change({ retryable: event.target.checked })}
        />
        <CheckField
          label="Require approval for calls by agents"
          checked={draft.requiresApproval}
          onChange={(event) => change({ requiresApproval: event.target.checked })}
        />
      </div>
      {fault !== undefined && <ErrorNotice title="The function was not saved" error={fault} />}
      {fault === undefined && refusal !== null && (
        <ErrorNotice title="The function was not saved" error={refusal} />
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" isBusy={isBusy}>
          {submitLabel}
        </Button>
        {children}
      </div>
    </form>
  );
}
