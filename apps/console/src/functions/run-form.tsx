import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useClients } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { TextArea } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { parseJson } from "../ui/parse-json.ts";
import { Skeleton } from "../ui/skeleton.tsx";
import type { ShownFunction } from "./read-function.ts";
import { runQuery } from "./read-run.ts";
import { type FieldTexts, fieldsOf, inputOf, textsOf } from "./schema-fields.ts";
import { SchemaForm } from "./schema-form.tsx";
import { useInvoke } from "./use-invoke.ts";

/** Runs a function with an input, which begins as that of the invocation that the URL names. */
export function RunForm({ one }: { readonly one: ShownFunction }) {
  const { from } = useSearch({ from: "/session/functions/$functionId" });
  return from === undefined ? <InputForm one={one} /> : <FormOfRun one={one} runId={from} />;
}

function FormOfRun({ one, runId }: { readonly one: ShownFunction; readonly runId: string }) {
  const { data, error } = useQuery(runQuery(useClients(), runId));
  if (!data && !error) return <Skeleton label="the input" lines={3} />;
  return (
    <>
      {error && <ErrorNotice title="The input could not be read" error={error} />}
      <InputForm key={runId} one={one} before={data?.input} />
    </>
  );
}

interface InputFormProps {
  readonly one: ShownFunction;
  /** The input that it begins with. */
  readonly before?: unknown;
}

/** An input, from a form that the function's schema makes, or from JSON. */
function InputForm({ one, before }: InputFormProps) {
  const fields = fieldsOf(one.inputSchema);
  const [isJson, setJson] = useState(fields === undefined);
  const [texts, setTexts] = useState<FieldTexts>(() => textsOf(fields ?? [], before));
  const [json, setJsonText] = useState(() => JSON.stringify(before ?? {}, null, 2));
  const [errors, setErrors] = useState<FieldTexts>({});
  const invoke = useInvoke(one.slug);

  /** The input as it stands; undefined, with the errors shown, where it is none. */
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
      aria-label="Input"
      className="grid max-w-3xl gap-4"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setErrors({});
        const filled = read();
        if (filled !== undefined) invoke.mutate(filled.input);
      }}
    >
      {isJson || fields === undefined ? (
        <TextArea
          label="Input, as JSON"
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
      {invoke.isError && <ErrorNotice title="It was not run" error={invoke.error} />}
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          variant="primary"
          disabled={one.status === "archived"}
          isBusy={invoke.isPending}
        >
          <Icon name="play" />
          Run
        </Button>
        {fields !== undefined && (
          <Button onClick={change}>{isJson ? "Use the form" : "Write JSON"}</Button>
        )}
      </div>
    </form>
  );
}
