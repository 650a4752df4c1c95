import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useWorkspaceId } from "../api/use-session.ts";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { InputForm } from "./input-form.tsx";
import type { ShownFunction } from "./read-function.ts";
import { runQuery } from "./read-run.ts";
import { useInvoke } from "./use-invoke.ts";

/** Runs a function with an input, initially that of the invocation named in the URL. */
export function RunForm({ one }: { readonly one: ShownFunction }) {
  const { from } = useSearch({ from: "/session/functions/$functionId" });
  return from === undefined ? <InputOfFunction one={one} /> : <FormOfRun one={one} runId={from} />;
}

function FormOfRun({ one, runId }: { readonly one: ShownFunction; readonly runId: string }) {
  const { data, error } = useQuery(runQuery(useWorkspaceId(), runId));
  if (!data && !error) return <Skeleton label="the input" lines={3} />;
  return (
    <>
      {error && <ErrorNotice title="The input could not be loaded" error={error} />}
      <InputOfFunction key={runId} one={one} before={data?.input} />
    </>
  );
}

interface InputOfFunctionProps {
  readonly one: ShownFunction;
  /** The initial input. */
  readonly before?: unknown;
}

function InputOfFunction({ one, before }: InputOfFunctionProps) {
  const invoke = useInvoke(one.slug);
  return (
    <InputForm
      schema={one.inputSchema}
      before={before}
      action="Run"
      isBusy={invoke.isPending}
      isDisabled={one.status === "archived"}
      onSubmit={(input) => invoke.mutate(input)}
    >
      {invoke.isError && <ErrorNotice title="The function was not run" error={invoke.error} />}
    </InputForm>
  );
}
