import { useMutation } from "@tanstack/react-query";
import type { ShownConversation } from "parley-client/react";
import { useState } from "react";
import { hasScope } from "../api/access.ts";
import { useSession } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { TextField } from "../ui/field.tsx";
import { useTalk } from "./talk-context.ts";

type Question = ShownConversation["questions"][number];

interface QuestionFormProps {
  readonly question: Question;
  /** Called after the answer is sent. */
  readonly onAnswer?: () => Promise<void>;
}

/** A question from an agent, with its options and a field for a free answer. */
export function QuestionForm({ question, onAnswer }: QuestionFormProps) {
  const { question: text, options, multiSelect } = question.question;
  const talk = useTalk();
  const canAnswer = hasScope(useSession(), "conversations:write");
  const [chosen, setChosen] = useState<readonly number[]>([]);
  const [own, setOwn] = useState("");
  const answering = useMutation({
    mutationFn: async () => {
      const customResponse = own.trim() === "" ? undefined : own;
      await talk?.answer(question, { selectedOptions: [...chosen], customResponse });
    },
    onSuccess: async () => onAnswer?.(),
  });
  const choose = (index: number, isChosen: boolean) => {
    const others = multiSelect ? chosen.filter((one) => one !== index) : [];
    setChosen(isChosen ? [...others, index].toSorted((a, b) => a - b) : others);
  };
  return (
    <form
      className="rounded-md border border-warn bg-warn-soft p-3"
      onSubmit={(event) => {
        event.preventDefault();
        answering.mutate();
      }}
    >
      <fieldset className="grid gap-3" disabled={!canAnswer || talk === undefined}>
        <legend className="mb-2 font-medium">{text}</legend>
        {options.map(({ label, description }, index) => (
          <label key={label} className="flex items-start gap-2">
            <input
              type={multiSelect ? "checkbox" : "radio"}
              name={question.actionId}
              checked={chosen.includes(index)}
              onChange={(event) => choose(index, event.target.checked)}
              className="mt-1 size-4 accent-accent"
            />
            <span>
              {label}
              {description !== null && (
                <span className="block text-sm text-muted">{description}</span>
              )}
            </span>
          </label>
        ))}
        <TextField
          label={options.length === 0 ? "Answer" : "In your own words"}
          value={own}
          onChange={(event) => setOwn(event.target.value)}
        />
        {answering.isError && <ErrorNotice error={answering.error} />}
        <Button
          type="submit"
          variant="primary"
          className="justify-self-start"
          isBusy={answering.isPending}
          disabled={chosen.length === 0 && own.trim() === ""}
        >
          Answer
        </Button>
      </fieldset>
    </form>
  );
}
