import * as z from "zod";
import { Reference } from "./text.ts";

export const WorkspaceParams = z.object({ wId: Reference.describe("Id of the workspace") });

export const ConversationParams = WorkspaceParams.extend({
  cId: Reference.describe("Id of the conversation"),
});

export const MessageParams = ConversationParams.extend({
  mId: Reference.describe("Id of the message"),
});

/** Input of what is done to a workspace over the RPC. */
export const OfWorkspace = z.object({ workspaceId: Reference.describe("Id of the workspace") });

/** What an operation answers that has nothing to tell. */
export const Success = z.object({ success: z.literal(true).describe("Always true") });
export type Success = z.infer<typeof Success>;
