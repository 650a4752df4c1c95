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

/** The fields of a function's runtime. */
export function ProgramFields(props: ProgramFieldsProps) {
  const { draft, sent, faults, behaviourProblems, onChange } = props;
  if (draft.type === "simulated") {
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
  if (draft.type === "e2b") {
    return (
      <>
        <div className="grid items-start gap-3 sm:grid-cols-2">
          <SelectField
            label="Language"
            value={draft.language}
            onChange={({ target: { value } }) =>
              onChange({ language: value === "javascript" ? value : "python" })
            }
          >
            <option value="python">Python</option>
            <option value="javascript">JavaScript (Node)</option>
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
