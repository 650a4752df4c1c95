import { SelectField } from "../ui/field.tsx";
import type { AgentDraft } from "./definition.ts";

type MemoryDraft = AgentDraft["memory"];

interface MemoryFieldsProps {
  readonly memory: MemoryDraft;
  readonly onChange: (memory: MemoryDraft) => void;
}

const scopes = [
  { scope: "user", label: "Memory of the user", hint: "Files about the user, for all agents" },
  {
    scope: "agentUser",
    label: "Memory of the user with this agent",
    hint: "Files about the user, for this agent alone",
  },
  { scope: "agent", label: "Memory of the agent", hint: "Files for all users of the agent" },
  {
    scope: "space",
    label: "Memory of the space",
    hint: "Files for all in the conversation's space",
  },
] as const;

/** What an agent may do with the files that it remembers. */
export function MemoryFields({ memory, onChange }: MemoryFieldsProps) {
  return scopes.map(({ scope, label, hint }) => (
    <SelectField
      key={scope}
      label={label}
      hint={hint}
      value={memory[scope] ?? ""}
      onChange={({ target: { value } }) => {
        const { [scope]: _before, ...others } = memory;
        onChange(value === "" ? others : { ...others, [scope]: value as "read" | "write" });
      }}
    >
      <option value="">Off</option>
      <option value="read">Read</option>
      <option value="write">Read and write</option>
    </SelectField>
  ));
}
