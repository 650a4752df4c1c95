import { type ProgramKind, programKinds } from "@parley/schema/program-kinds";
import type { ReactNode } from "react";
import { CodeEditor } from "../../editor/code-editor.tsx";
import type { Problem } from "../../editor/problem.ts";
import { SelectField, TextArea, TextField } from "../../ui/field.tsx";
import { CodeFields } from "./code-fields.tsx";
import type { FunctionDraft } from "./draft.ts";
import type { Faults } from "./faults.ts";
import { SecretFields } from "./secret-fields.tsx";

interface ProgramFieldsProps {
  readonly draft: FunctionDraft;
  /** The draft that the server refused. */
  readonly sent: FunctionDraft | undefined;
  readonly faults: Faults | undefined;
  readonly behaviourProblems: readonly Problem[] | undefined;
  readonly onChange: (changed: Partial<FunctionDraft>) => void;
}

const fields: Readonly<Record<ProgramKind, (props: ProgramFieldsProps) => ReactNode>> = {
  javascript: FileFields,
  e2b: SourceFields,
  simulated: BehaviourFields,
};

/** The fields of a function's runtime. */
export function ProgramFields(props: ProgramFieldsProps) {
  const Fields = fields[props.draft.type];
  return <Fields {...props} />;
}

function FileFields({ draft, sent, faults, onChange }: ProgramFieldsProps) {
  return (
    <>
      <CodeFields
        files={draft.files}
        problemsOf={(path) =>
          sent?.files[path] === draft.files[path] ? faults?.files[path] : undefined
        }
        onChange={(files) => onChange({ files })}
      />
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <TextArea
          label="Allowed hosts"
          hint="One per line, such as api.example.com or api.example.com:8443; none by default"
          rows={3}
          spellCheck={false}
          className="font-mono text-sm"
          value={draft.allowedHosts}
          onChange={(event) => onChange({ allowedHosts: event.target.value })}
        />
        <SecretFields secrets={draft.secrets} onChange={(secrets) => onChange({ secrets })} />
      </div>
    </>
  );
}

const { languages } = programKinds.e2b;

function SourceFields({ draft, onChange }: ProgramFieldsProps) {
  return (
    <>
      <div className="grid items-start gap-3 sm:grid-cols-2">
        <SelectField
          label="Language"
          value={draft.language}
          onChange={({ target: { value } }) => {
            if (value in languages) onChange({ language: value as keyof typeof languages });
          }}
        >
          {Object.entries(languages).map(([language, { label }]) => (
            <option key={language} value={language}>
              {label}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Template (optional)"
          hint="E2B template with the packages that the code imports"
          value={draft.template}
          onChange={(event) => onChange({ template: event.target.value })}
        />
      </div>
      <CodeEditor
        label="Code"
        language={draft.language}
        initial={draft.source}
        onChange={(source) => onChange({ source })}
      />
    </>
  );
}

function BehaviourFields({ draft, behaviourProblems, onChange }: ProgramFieldsProps) {
  return (
    <CodeEditor
      label="Behaviour (JSON)"
      language="json"
      hint="Duration, output and result of a run; the result is a JSONata expression over the input"
      initial={draft.behaviour}
      onChange={(behaviour) => onChange({ behaviour })}
      problems={behaviourProblems}
    />
  );
}
