import { group } from "@parley/command/group";
import { ListFeedback } from "@parley/schema";
import * as z from "zod";
import { connect } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import { readListed } from "../grammar/endpoint-calls.ts";
import { listCommand } from "../grammar/list-command.ts";
import { nounOf } from "../grammar/noun.ts";
import { findAgent } from "../grammar/nouns.ts";
import { resolveReferences } from "../grammar/one-commands.ts";
import { shortTime } from "../terminal/short-time.ts";

const noun = nounOf("feedbacks.list", {
  many: "feedback",
  one: "feedback",
  open: connect,
  idOf: ({ messageId }) => messageId,
});

const { agentId, conversationId, thumbDirection, order } = ListFeedback.shape;
const filters = z.object({ agentId, conversationId, thumbDirection, order });

/** Feedback that is listed by default. */
const NEWEST = 20;

/** Makes the commands about feedback. */
export const createFeedbackCommands = (context: Context) =>
  group("feedback", "what people said of answers", [
    listCommand(context, noun, {
      about: "list feedback on answers, newest first",
      limit: NEWEST,
      filters,
      read: async function* read(connection, given) {
        const chosen = await resolveReferences(connection, given, { agentId: findAgent });
        yield* readListed(connection, "feedbacks.list", { order: "newest", ...chosen });
      },
      columns: {
        GIVEN: ({ createdAt }) => shortTime(createdAt),
        RATING: (one) => one.thumbDirection,
        AGENT: (one) => one.agentConfigurationId,
        VERSION: (one) => one.agentConfigurationVersion,
        BY: ({ user }) => user.fullName,
        CONVERSATION: (one) => one.conversationId,
        COMMENT: ({ content }) => content,
      },
    }),
  ]);
