import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { Input } from "parley-client";
import { useState } from "react";
import { trpc } from "../api/clients.ts";
import { useParley, useSession, useWorkspaceId } from "../api/use-session.ts";
import { authorOf } from "../conversations/draft.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { SelectField, TextArea } from "../ui/field.tsx";
import { type AgentInput, pairOf } from "./definition.ts";
import { type Trial, TrialAnswer } from "./trial-answer.tsx";
import { readTrial, type TrialSearch } from "./trial-search.ts";
import { useChoices } from "./use-choices.ts";

interface TryAgentProps {
  /** Undefined for an agent that was never saved. */
  readonly agentId?: string | undefined;
  /** The form as it is, saved or not. Throws an `Error` for people to read. */
  readonly readForm: () => AgentInput;
}

/** Who answers: `form`, or the number of a version. */
type Subject = string;

const FORM = "form";

/** A playground beside the editor: the form as it is answers, and beside it another version or model. */
export function TryAgent({ agentId, readForm }: TryAgentProps) {
  const wId = useWorkspaceId();
  const parley = useParley();
  const author = authorOf(useSession());
  // The pages that it stands on read it with `readTrial`.
  const search = useSearch({ strict: false, select: readTrial });
  const [text, setText] = useState("");
  const [trials, setTrials] = useState<readonly Trial[]>([]);
  const { data: page } = useQuery({
    ...trpc.agents.listVersions.queryOptions({ wId, agentId: agentId ?? "" }),
    enabled: agentId !== undefined,
  });
  const versions = page?.versions ?? [];
  const { ask: first = FORM, model: firstModel, with: second, withModel: secondModel } = search;
  const columns = [
    { subject: first, model: firstModel },
    ...(second === undefined ? [] : [{ subject: second, model: secondModel }]),
  ];
  const running = useMutation({
    mutationFn: async () => {
      const asked = columns.map(({ subject, model }) => {
        const tried = triedOf(subject, { agentId, readForm });
        const modelSelection = model === undefined ? {} : { modelSelection: pairOf(model) };
        const message = { content: text, context: author, ...modelSelection };
        return { tried, message, label: labelOf(subject, model) };
      });
      // Each is asked before one is shown, so that none waits for another.
      const startedAt = performance.now();
      return Promise.all(
        asked.map(async ({ tried, message, label }): Promise<Trial> => {
          const { conversation } = await parley.agents.try({ ...tried, message });
          return { label, conversationId: conversation.sId, startedAt };
        }),
      );
    },
    onSuccess: setTrials,
  });
  return (
    <section aria-label="Try it" className="grid gap-4 rounded-lg border border-line p-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="font-semibold">Try it</h2>
        {agentId !== undefined && (
          <Link
            to="/conversations/new"
            search={{ agent: [agentId] }}
            className="text-accent underline"
          >
            Start a conversation
          </Link>
        )}
      </div>
      <p className="text-sm text-muted">
        The form answers as it is, without being saved. Answers count as usage of the agent, and are
        erased within a minute. Tools of skills are offered once the agent has loaded the skill.
      </p>
      <form
        aria-label="Trial"
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          running.mutate();
        }}
      >
        <div className="grid gap-3 sm:grid-cols-2">
          <Column label="Answer" versions={versions} names={{ subject: "ask", model: "model" }} />
          <Column
            label="Compare with"
            versions={versions}
            names={{ subject: "with", model: "withModel" }}
            isOptional
          />
        </div>
        <TextArea
          label="Message"
          rows={3}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button
          type="submit"
          className="justify-self-start"
          isBusy={running.isPending}
          disabled={text.trim() === ""}
        >
          Run
        </Button>
      </form>
      {running.isError && <ErrorNotice title="Nothing was run" error={running.error} />}
      <div className={trials.length > 1 ? "grid gap-4 sm:grid-cols-2" : "grid gap-4"}>
        {trials.map((trial) => (
          <TrialAnswer key={trial.conversationId} trial={trial} />
        ))}
      </div>
    </section>
  );
}

interface ColumnProps {
  readonly label: string;
  readonly versions: readonly { readonly version: number; readonly isCurrent: boolean }[];
  /** What the URL calls its two choices. */
  readonly names: {
    readonly subject: "ask" | "with";
    readonly model: "model" | "withModel";
  };
  readonly isOptional?: boolean;
}

/** The choice of what answers, and of its model. */
function Column({ label, versions, names, isOptional = false }: ColumnProps) {
  // The pages that it stands on read it with `readTrial`.
  const search = useSearch({ strict: false, select: readTrial });
  const navigate = useNavigate();
  const { data: choices } = useChoices();
  const change = (changed: TrialSearch) =>
    void navigate({
      to: ".",
      search: (before: object) => ({ ...before, ...changed }),
      replace: true,
      // The form stays as it is.
      ignoreBlocker: true,
    });
  const subject = search[names.subject];
  return (
    <div className="grid content-start gap-2">
      <SelectField
        label={label}
        value={subject ?? (isOptional ? "" : FORM)}
        onChange={({ target: { value } }) =>
          change({
            [names.subject]: value === "" || (value === FORM && !isOptional) ? undefined : value,
          })
        }
      >
        {isOptional && <option value="">Nothing</option>}
        <option value={FORM}>This form</option>
        {versions.map(({ version, isCurrent }) => (
          <option key={version} value={version}>
            {labelOf(String(version), undefined)}
            {isCurrent && " (current)"}
          </option>
        ))}
      </SelectField>
      {(!isOptional || subject !== undefined) && (
        <SelectField
          label={isOptional ? "Model to compare with" : "Model of the answer"}
          value={search[names.model] ?? ""}
          onChange={({ target: { value } }) => change({ [names.model]: value || undefined })}
        >
          <option value="">Its own</option>
          {choices?.models.map(({ providerId, modelId }) => (
            <option key={`${providerId}/${modelId}`}>{`${providerId}/${modelId}`}</option>
          ))}
        </SelectField>
      )}
    </div>
  );
}

/** What is sent of a choice. Throws what is wrong with the form. */
function triedOf(
  subject: Subject,
  { agentId, readForm }: TryAgentProps,
): Omit<Input<"agents.try">, "message"> {
  const of = agentId === undefined ? {} : { agentId };
  if (subject !== FORM) return { ...of, agentVersion: Number(subject) };
  const { editorIds: _editors, ...draft } = readForm();
  return { ...of, draft };
}

const labelOf = (subject: Subject, model: string | undefined): string => {
  const name = subject === FORM ? "This form" : `Version ${Number(subject) + 1}`;
  return model === undefined ? name : `${name}, ${model}`;
};
