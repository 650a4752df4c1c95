import { useState } from "react";
import { SelectField, TextArea, TextField } from "../ui/field.tsx";
import { ChoiceField } from "./choice-field.tsx";
import { memberOf, type Schedule } from "./states.ts";
import type { Choices } from "./use-choices.ts";

interface LaunchFieldsProps {
  readonly schedule: Schedule | undefined;
  readonly choices: Choices | undefined;
}

/** What a schedule starts: an agent with its message, or a function with its input. */
export function LaunchFields({ schedule, choices }: LaunchFieldsProps) {
  const isFunction = schedule !== undefined && schedule.function !== null;
  const [kind, setKind] = useState(isFunction ? "function" : "agent");
  const { agent = null, function: invoked = null } = schedule ?? {};
  return (
    <>
      <SelectField
        label="Starts"
        name="starts"
        value={kind}
        onChange={(event) => setKind(event.target.value)}
      >
        <option value="agent">An agent</option>
        <option value="function">A function</option>
      </SelectField>
      {kind === "agent" ? (
        <>
          <ChoiceField
            label="Agent"
            name="agentId"
            choices={choices?.agents}
            chosen={memberOf(agent, "agentId")}
          />
          <TextArea
            label="Message"
            name="message"
            rows={4}
            required
            defaultValue={memberOf(agent, "message")}
            hint="What the agent answers each time."
          />
          <TextField
            label="Conversation"
            name="conversationId"
            className="font-mono text-sm"
            autoComplete="off"
            defaultValue={memberOf(agent, "conversationId")}
            hint="Id of one to continue. Leave empty to begin a new one each time."
          />
          <TextField
            label="Title"
            name="title"
            maxLength={512}
            autoComplete="off"
            defaultValue={memberOf(agent, "title")}
            hint="Of new conversations. Defaults to one that fits the message."
          />
          <ChoiceField
            label="Space"
            name="spaceId"
            choices={choices?.spaces}
            chosen={memberOf(agent, "spaceId")}
            none="None"
          />
          <TextField
            label="Member"
            name="email"
            type="email"
            maxLength={255}
            autoComplete="off"
            defaultValue={memberOf(agent, "email")}
            hint="E-mail address of whose conversation it is. Required if calls of the agent need approval."
          />
        </>
      ) : (
        <>
          <ChoiceField
            label="Function"
            name="functionId"
            choices={choices?.functions}
            chosen={memberOf(invoked, "functionId")}
          />
          <TextArea
            label="Input (JSON)"
            name="input"
            rows={4}
            spellCheck={false}
            className="font-mono text-sm"
            defaultValue={inputTextOf(invoked)}
          />
        </>
      )}
      <TextField
        key={`version of ${kind}`}
        label="Version"
        name="version"
        inputMode="numeric"
        pattern="[0-9]*"
        autoComplete="off"
        defaultValue={memberOf(agent, "agentVersion") || memberOf(invoked, "functionVersion")}
        hint="Leave empty to use the newest one each time."
      />
    </>
  );
}

/** The input of a function as its field shows it. */
function inputTextOf(invoked: Schedule["function"]): string {
  const input = invoked?.["input"] ?? null;
  return input === null ? "" : JSON.stringify(input, null, 2);
}
