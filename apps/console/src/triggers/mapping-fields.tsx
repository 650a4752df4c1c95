import { useState } from "react";
import { SelectField, TextArea } from "../ui/field.tsx";
import type { Trigger } from "./states.ts";

type Mapping = Trigger["mapping"];

/** The mapping that a form has; null for none. */
export function mappingIn(form: FormData): Mapping {
  const textOf = (name: string) => {
    const text = String(form.get(name) ?? "");
    return text === "" ? undefined : text;
  };
  const type = form.get("mapping");
  if (type === "javascript") return { type, source: textOf("source") ?? "" };
  if (type !== "jsonata") return null;
  return { type, filter: textOf("filter"), message: textOf("message") };
}

/** The fields of a mapping: which events count, and what is made of one. */
export function MappingFields({ mapping }: { readonly mapping: Mapping }) {
  const [type, setType] = useState<string>(mapping?.type ?? "none");
  return (
    <>
      <SelectField
        label="Message"
        name="mapping"
        value={type}
        onChange={({ target: { value } }) => setType(value)}
      >
        <option value="none">The body of the event</option>
        <option value="jsonata">JSONata</option>
        <option value="javascript">JavaScript</option>
      </SelectField>
      {type === "jsonata" && (
        <>
          <TextArea
            label="Filter"
            name="filter"
            rows={2}
            className="font-mono text-sm"
            defaultValue={mapping?.type === "jsonata" ? (mapping.filter ?? "") : ""}
            hint="Which events count. Leave empty for all."
          />
          <TextArea
            label="Expression"
            name="message"
            rows={3}
            className="font-mono text-sm"
            defaultValue={mapping?.type === "jsonata" ? (mapping.message ?? "") : ""}
            hint="Over headers, body and receivedAt. Leave empty for the body."
          />
        </>
      )}
      {type === "javascript" && (
        <TextArea
          label="Module"
          name="source"
          required
          rows={6}
          className="font-mono text-sm"
          defaultValue={
            mapping?.type === "javascript"
              ? mapping.source
              : "export default ({ headers, body }) => body.title;\n"
          }
          hint="Its default export gets the event. It returns the message, or null to ignore the event."
        />
      )}
    </>
  );
}
