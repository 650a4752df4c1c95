import { valueNames } from "@parley/schema/instruction-values";
import { type ReactNode, useEffect, useState } from "react";
import { CodeEditor } from "../editor/code-editor.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { CheckField, SelectField, TextArea, TextField } from "../ui/field.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { UnsavedGuard } from "../ui/unsaved-guard.tsx";
import { ChoiceList } from "./choice-list.tsx";
import { CompactionFields } from "./compaction-fields.tsx";
import { type AgentDraft, type AgentInput, inputOfDraft } from "./definition.ts";
import { FallbackFields } from "./fallback-fields.tsx";
import { KnowledgeFields } from "./knowledge-fields.tsx";
import { MemoryFields } from "./memory-fields.tsx";
import { useChoices } from "./use-choices.ts";

interface AgentFormProps {
  readonly initial: AgentDraft;
  readonly submitLabel: string;
  readonly isBusy: boolean;
  /** Whether the last submission is stored. */
  readonly isSaved: boolean;
  /** Why the server refused the last submission. */
  readonly refusal: unknown;
  readonly onSubmit: (input: AgentInput) => void;
  /** Called with the form at each change of it. */
  readonly onChange?: (draft: AgentDraft) => void;
  /** Further buttons. */
  readonly children?: ReactNode;
}

/** The values that instructions may name. */
const valuesHint = `Values: ${valueNames.map((name) => `{{${name}}}`).join(", ")}; write {{{{ for {{ as text.`;

/** The editor of an agent. */
export function AgentForm(props: AgentFormProps) {
  const { initial, submitLabel, isBusy, isSaved, refusal, onSubmit, onChange, children } = props;
  const [draft, setDraft] = useState(initial);
  const [first] = useState(draft);
  const [sent, setSent] = useState<AgentDraft>();
  const [fault, setFault] = useState<Error>();
  useEffect(() => onChange?.(draft), [onChange, draft]);
  const reading = useChoices();
  const { data: choices } = reading;
  if (!choices) return <Loaded query={reading} label="the editor" lines={12} />;
  const change = (changed: Partial<AgentDraft>) => setDraft((all) => ({ ...all, ...changed }));
  const models = choices.models.map(({ providerId, modelId }) => `${providerId}/${modelId}`);
  const shownModels =
    draft.model === "" || models.includes(draft.model) ? models : [draft.model, ...models];
  return (
    <form
      aria-label="Agent"
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        try {
          const input = inputOfDraft(draft);
          setFault(undefined);
          setSent(draft);
          onSubmit(input);
        } catch (cause) {
          setFault(cause as Error);
        }
      }}
    >
      <UnsavedGuard isUnsaved={!isBusy && draft !== (isSaved ? sent : first)} />
      <TextField
        label="Name"
        required
        value={draft.name}
        onChange={(event) => change({ name: event.target.value })}
      />
      <TextField
        label="Description"
        hint="Shown to people choosing an agent"
        value={draft.description}
        onChange={(event) => change({ description: event.target.value })}
      />
      <CodeEditor
        label="Instructions"
        language="markdown"
        hint={`Given to the model in each conversation; Markdown. ${valuesHint}`}
        initial={draft.instructions}
        onChange={(instructions) => change({ instructions })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Model"
          required
          value={draft.model}
          onChange={({ target: { value: model } }) =>
            change({ model, fallbackModels: draft.fallbackModels.filter((one) => one !== model) })
          }
        >
          <option value="">Choose …</option>
          {shownModels.map((model) => (
            <option key={model} value={model}>
              {model}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Visibility"
          value={draft.scope}
          onChange={({ target: { value } }) =>
            change({ scope: value === "hidden" ? "hidden" : "visible" })
          }
        >
          <option value="visible">Everyone</option>
          <option value="hidden">Unlisted</option>
        </SelectField>
        <TextField
          label="Temperature"
          inputMode="decimal"
          value={draft.temperature}
          onChange={(event) => change({ temperature: event.target.value })}
        />
        <SelectField
          label="Reasoning effort"
          hint="Ignored by models that do not support it"
          value={draft.reasoningEffort}
          onChange={({ target: { value } }) =>
            change({ reasoningEffort: value as AgentDraft["reasoningEffort"] })
          }
        >
          <option value="">Model default</option>
          {["none", "light", "medium", "high"].map((effort) => (
            <option key={effort}>{effort}</option>
          ))}
        </SelectField>
        <TextField
          label="Max steps per turn"
          inputMode="numeric"
          value={draft.maxStepsPerRun}
          onChange={(event) => change({ maxStepsPerRun: event.target.value })}
        />
        <FallbackFields
          models={models}
          own={draft.model}
          chosen={draft.fallbackModels}
          onChange={(fallbackModels) => change({ fallbackModels })}
        />
        <CompactionFields
          compaction={draft.compaction}
          onChange={(compaction) => change({ compaction })}
        />
        <MemoryFields memory={draft.memory} onChange={(memory) => change({ memory })} />
      </div>
      <CheckField
        label="Can ask the user questions"
        checked={draft.asksUser}
        onChange={(event) => change({ asksUser: event.target.checked })}
      />
      <TextArea
        label="Schema of the answers (JSON Schema)"
        className="font-mono text-sm"
        spellCheck={false}
        hint="Answers are then JSON that matches it; empty for text"
        value={draft.answerSchema}
        onChange={(event) => change({ answerSchema: event.target.value })}
      />
      {draft.answerSchema.trim() !== "" && (
        <CheckField
          label="Only with a model whose service enforces the whole schema"
          checked={draft.isStrict}
          onChange={(event) => change({ isStrict: event.target.checked })}
        />
      )}
      <ChoiceList
        label="Additional skills"
        choices={choices.skills}
        chosen={draft.skillIds}
        onChange={(skillIds) => change({ skillIds })}
      />
      <ChoiceList
        label="Functions"
        choices={choices.functions}
        chosen={draft.functionIds}
        onChange={(functionIds) => change({ functionIds })}
      />
      <ChoiceList
        label="Additional tools"
        choices={choices.tools}
        chosen={draft.toolIds}
        onChange={(toolIds) => change({ toolIds })}
      />
      <KnowledgeFields
        knowledge={draft.knowledge}
        onChange={(knowledge) => change({ knowledge })}
      />
      <TextArea
        label="Team"
        className="font-mono text-sm"
        spellCheck={false}
        hint="Agents that it can ask, one per line, such as research: Ag7nTq2Wz4; add (handover) to let one answer instead"
        value={draft.team}
        onChange={(event) => change({ team: event.target.value })}
      />
      {draft.model.startsWith("simulated/") && (
        <TextArea
          label="Script for the simulated model (JSON)"
          className="font-mono text-sm"
          spellCheck={false}
          hint='For example {"steps": [{"text": "You said: {{message}}"}]}'
          value={draft.script}
          onChange={(event) => change({ script: event.target.value })}
        />
      )}
      {fault !== undefined && <ErrorNotice error={fault} />}
      {fault === undefined && refusal !== null && (
        <ErrorNotice title="The agent was not saved" error={refusal} />
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
