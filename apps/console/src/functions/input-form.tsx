import { type ReactNode, useState } from "react";
import { Button } from "../ui/button.tsx";
import { TextArea } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { parseJson } from "../ui/parse-json.ts";
import { type FieldTexts, fieldsOf, inputOf, textsOf } from "./schema-fields.ts";
import { SchemaForm } from "./schema-form.tsx";

interface InputFormProps {
  /** Accessible name, if the page has several forms. */
  readonly label?: string;
  /** JSON Schema of the input. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  /** The initial input. */
  readonly before?: unknown;
  /** Label of the button. */
  readonly action: string;
  readonly isBusy: boolean;
  readonly isDisabled?: boolean;
  readonly onSubmit: (input: unknown) => void;
  /** Content above the button, such as a failure. */
  readonly children?: ReactNode;
}

/** An input, entered in a form generated from its schema or as JSON. */
export function InputForm(props: InputFormProps) {
  const {
    label = "Input",
    schema,
    before,
    action,
    isBusy,
    isDisabled = false,
    onSubmit,
    children,
  } = props;
  const fields = fieldsOf(schema);
  const [isJson, setJson] = useState(fields === undefined);
  const [texts, setTexts] = useState<FieldTexts>(() => textsOf(fields ?? [], before));
  const [json, setJsonText] = useState(() => JSON.stringify(before ?? {}, null, 2));
  const [errors, setErrors] = useState<FieldTexts>({});

  /** The current input; undefined, with the errors shown, if it is invalid. */
  const read = (): { input: unknown } | undefined => {
    try {
      if (isJson || fields === undefined) return { input: parseJson(json) };
    } catch (error) {
      setErrors({ json: (error as Error).message });
      return undefined;
    }
    const filled = inputOf(fields, texts);
    if ("input" in filled) return filled;
    setErrors(filled.errors);
    return undefined;
  };
  const change = () => {
    setErrors({});
    const filled = read();
    if (filled === undefined || fields === undefined) return;
    if (isJson) setTexts(textsOf(fields, filled.input));
    else setJsonText(JSON.stringify(filled.input, null, 2));
    setJson(!isJson);
  };
  return (
    <form
      aria-label={label}
      className="grid max-w-3xl gap-4"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setErrors({});
        const filled = read();
        if (filled !== undefined) onSubmit(filled.input);
      }}
    >
      {isJson || fields === undefined ? (
        <TextArea
          label="Input (JSON)"
          rows={10}
          spellCheck={false}
          className="font-mono text-sm"
          error={errors["json"]}
          value={json}
          onChange={(event) => setJsonText(event.target.value)}
        />
      ) : (
        <SchemaForm
          fields={fields}
          texts={texts}
          errors={errors}
          onChange={(name, text) => setTexts((all) => ({ ...all, [name]: text }))}
        />
      )}
      {children}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" disabled={isDisabled} isBusy={isBusy}>
          <Icon name="play" />
          {action}
        </Button>
        {fields !== undefined && (
          <Button onClick={change}>{isJson ? "Use form" : "Edit JSON"}</Button>
        )}
      </div>
    </form>
  );
}
