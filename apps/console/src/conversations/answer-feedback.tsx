import { useId, useState } from "react";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { TextArea } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { useFeedback } from "./feedback-context.ts";

const ratings = [
  { direction: "up", name: "Good", icon: "good" },
  { direction: "down", name: "Bad", icon: "bad" },
] as const;

/** The buttons that rate an answer: again, the rating is withdrawn. Shows builders how many rated it so. */
export function RateButtons({ messageId }: { readonly messageId: string }) {
  const feedback = useFeedback();
  if (feedback === undefined) return null;
  const own = feedback.ownOf(messageId);
  const counts = feedback.countsOf(messageId);
  const rate = async (thumbDirection: "up" | "down") =>
    own?.thumbDirection === thumbDirection
      ? feedback.withdraw(messageId)
      : feedback.give(messageId, { thumbDirection });
  return ratings.map(({ direction, name, icon }) => (
    <Button
      key={direction}
      isSmall
      variant="ghost"
      aria-pressed={own?.thumbDirection === direction}
      className="aria-pressed:bg-accent-soft aria-pressed:text-accent"
      onClick={() => void rate(direction)}
    >
      <Icon name={icon} />
      {name}
      {counts !== undefined && counts[direction] > 0 && ` (${counts[direction]})`}
    </Button>
  ));
}

/** The comment of one's own rating: written once the answer is rated, and shown from then on. */
export function RatingComment({ messageId }: { readonly messageId: string }) {
  const feedback = useFeedback();
  const own = feedback?.ownOf(messageId);
  const id = useId();
  const [text, setText] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  if (feedback === undefined) return null;
  const { error } = feedback;
  if (own === undefined) return error && <ErrorNotice error={error} />;
  const send = async (feedbackContent: string) => {
    setBusy(true);
    const { thumbDirection } = own;
    await feedback.give(messageId, {
      thumbDirection,
      ...(feedbackContent.trim() !== "" && { feedbackContent }),
    });
    setBusy(false);
    setText(undefined);
  };
  if (text === undefined) {
    return (
      <div className="flex flex-wrap items-center gap-2 text-sm">
        {own.content !== null && <q className="text-muted">{own.content}</q>}
        <Button isSmall variant="ghost" onClick={() => setText(own.content ?? "")}>
          {own.content === null ? "Add comment" : "Edit comment"}
        </Button>
      </div>
    );
  }
  return (
    <form
      aria-labelledby={id}
      className="grid gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void send(text);
      }}
    >
      <span id={id} className="sr-only">
        Comment on the answer
      </span>
      <TextArea
        label="Comment"
        rows={2}
        maxLength={16_384}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {error && <ErrorNotice error={error} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" isSmall variant="primary" isBusy={isBusy}>
          Send
        </Button>
        <Button isSmall variant="ghost" onClick={() => setText(undefined)}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
