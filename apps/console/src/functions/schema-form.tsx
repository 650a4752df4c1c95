import { SelectField, TextArea, TextField } from "../ui/field.tsx";
import type { FieldTexts, SchemaField } from "./schema-fields.ts";

interface SchemaFormProps {
  readonly fields: readonly SchemaField[];
  readonly texts: FieldTexts;
  readonly errors: FieldTexts;
  readonly onChange: (name: string, text: string) => void;
}

/** The fields of an input, generated from its JSON Schema. */
export function SchemaForm({ fields, texts, errors, onChange }: SchemaFormProps) {
  if (fields.length === 0) return <p className="text-muted">No input required.</p>;
  return fields.map((field) => (
    <OneField
      key={field.name}
      field={field}
      text={texts[field.name] ?? ""}
      error={errors[field.name]}
      onChange={(text) => onChange(field.name, text)}
    />
  ));
}

interface OneFieldProps {
  readonly field: SchemaField;
  readonly text: string;
  readonly error: string | undefined;
  readonly onChange: (text: string) => void;
}

function OneField({ field, text, error, onChange }: OneFieldProps) {
  const { name, kind, isRequired, description, choices } = field;
  const shared = {
    label: isRequired ? name : `${name} (optional)`,
    hint: description,
    error,
    value: text,
    onChange: (event: { readonly target: { readonly value: string } }) =>
      onChange(event.target.value),
  };
  if (kind === "choice" || kind === "boolean") {
    const options = kind === "boolean" ? ["true", "false"] : choices;
    return (
      <SelectField {...shared}>
        <option value="">{isRequired ? "Choose …" : "None"}</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {option.replaceAll(/^"|"$/g, "")}
          </option>
        ))}
      </SelectField>
    );
  }
  if (kind === "json") {
    const hint = description ?? "JSON";
    return <TextArea {...shared} hint={hint} spellCheck={false} className="font-mono text-sm" />;
  }
  const isNumber = kind === "number" || kind === "integer";
  return <TextField {...shared} {...(isNumber && { inputMode: "decimal" })} />;
}
