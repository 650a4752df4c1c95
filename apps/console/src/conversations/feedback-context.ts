import { useMutation, useQuery } from "@tanstack/react-query";
import type { Output } from "parley-client";
import { createContext, useContext, useMemo } from "react";
import { hasRole, hasScope } from "../api/access.ts";
import { trpc } from "../api/clients.ts";
import { useParley, useSession, useWorkspaceId } from "../api/use-session.ts";

/** What somebody said of an answer. */
export type Feedback = Output<"feedbacks.listOwn">["feedbacks"][number];

/** The feedback on the answers of a conversation, as far as the reader sees it. */
export interface FeedbackActions {
  /** One's own, as it will be once what was just clicked is stored. */
  readonly ownOf: (messageId: string) => Pick<Feedback, "thumbDirection" | "content"> | undefined;
  /** How many rated the answer as good and as bad; undefined for those who see only their own. */
  readonly countsOf: (
    messageId: string,
  ) => { readonly up: number; readonly down: number } | undefined;
  readonly give: (messageId: string, rating: Rating) => Promise<unknown>;
  readonly withdraw: (messageId: string) => Promise<unknown>;
  /** Why the last of them failed. */
  readonly error: Error | null;
}

interface Rating {
  readonly thumbDirection: "up" | "down";
  readonly feedbackContent?: string;
}

/** A rating of an answer; without one, it is withdrawn. */
interface Change {
  readonly messageId: string;
  readonly rating?: Rating;
}

export const FeedbackContext = createContext<FeedbackActions | undefined>(undefined);

/** The feedback of the surrounding conversation; undefined if none can be given. */
export const useFeedback = (): FeedbackActions | undefined => useContext(FeedbackContext);

/** Ratings that are counted, the newest. */
const COUNTED = 100;

/** Reads the feedback of a conversation once for all of its answers. */
export function useFeedbackOf(conversationId: string): FeedbackActions | undefined {
  const wId = useWorkspaceId();
  const session = useSession();
  const parley = useParley();
  const canWrite = hasScope(session, "conversations:write");
  const call = { wId, cId: conversationId };
  const own = useQuery(trpc.feedbacks.listOwn.queryOptions(call));
  const ofAll = { wId, conversationId, order: "newest", limit: COUNTED } as const;
  const all = useQuery({
    ...trpc.feedbacks.list.queryOptions(ofAll),
    enabled: hasRole(session, "builder"),
  });
  const changing = useMutation({
    mutationKey: trpc.feedbacks.pathKey(),
    mutationFn: async ({ messageId, rating }: Change) =>
      rating === undefined
        ? parley.feedbacks.withdraw({ conversationId, messageId })
        : parley.feedbacks.give({ conversationId, messageId, ...rating }),
  });
  const { mutateAsync, error } = changing;
  const pending = changing.isPending ? changing.variables : undefined;
  const [given, counted] = [own.data?.feedbacks, all.data?.feedbacks];
  // Answers that have not changed are not rendered again while another one is written.
  return useMemo((): FeedbackActions | undefined => {
    if (!canWrite) return undefined;
    const attempt = async (change: Change) => mutateAsync(change).catch(() => {});
    return {
      ownOf: (messageId) => {
        if (pending?.messageId !== messageId) {
          return given?.find((one) => one.messageId === messageId);
        }
        const { rating } = pending;
        return rating && { ...rating, content: rating.feedbackContent ?? null };
      },
      countsOf: (messageId) => {
        const ofAnswer = counted?.filter((one) => one.messageId === messageId);
        if (ofAnswer === undefined) return undefined;
        const up = ofAnswer.filter(({ thumbDirection }) => thumbDirection === "up").length;
        return { up, down: ofAnswer.length - up };
      },
      give: (messageId, rating) => attempt({ messageId, rating }),
      withdraw: (messageId) => attempt({ messageId }),
      error,
    };
  }, [canWrite, mutateAsync, error, pending, given, counted]);
}
