import { SelectField, TextField } from "../ui/field.tsx";
import type { AgentDraft } from "./definition.ts";

type CompactionDraft = AgentDraft["compaction"];

interface CompactionFieldsProps {
  readonly compaction: CompactionDraft;
  readonly onChange: (compaction: CompactionDraft) => void;
}

/** When the oldest messages of an agent's conversations are summarised; what is empty has its default. */
export function CompactionFields({ compaction, onChange }: CompactionFieldsProps) {
  const change = (changed: Partial<CompactionDraft>) => onChange({ ...compaction, ...changed });
  return (
    <>
      <SelectField
        label="Summaries of the oldest messages"
        hint="Models read them in place of the messages before a conversation is too long"
        value={compaction.enabled}
        onChange={({ target: { value } }) =>
          change({ enabled: value as CompactionDraft["enabled"] })
        }
      >
        <option value="">Model default</option>
        <option value="on">On</option>
        <option value="off">Off</option>
      </SelectField>
      {compaction.enabled !== "off" && (
        <>
          <TextField
            label="Summarise from a prompt of (% of the context)"
            inputMode="numeric"
            hint="10 to 70; empty for the default"
            value={compaction.startsAtPercent}
            onChange={({ target: { value } }) => change({ startsAtPercent: value })}
          />
          <TextField
            label="Newest messages that stay as they are"
            inputMode="numeric"
            hint="2 to 100; empty for the default"
            value={compaction.keepsMessages}
            onChange={({ target: { value } }) => change({ keepsMessages: value })}
          />
        </>
      )}
    </>
  );
}
