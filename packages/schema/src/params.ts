import * as z from "zod";
import { Reference } from "./parsing/text.ts";

export const WorkspaceParams = z.object({
  wId: Reference.describe("Id of the workspace").meta({ example: "Ab3dE5fG7h" }),
});

export const ConversationParams = WorkspaceParams.extend({
  cId: Reference.describe("Id of the conversation").meta({ example: "Kd82jXq0Pz" }),
});

export const MessageParams = ConversationParams.extend({
  mId: Reference.describe("Id of the message").meta({ example: "Vn4tR9sWy1" }),
});

/** Output of an operation without a result. */
export const Success = z.object({ success: z.literal(true).describe("Always true") });
export type Success = z.infer<typeof Success>;
