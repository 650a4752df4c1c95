import * as z from "zod";
import { WorkspaceParams } from "../params.ts";
import { Reference } from "../parsing/text.ts";

/** What an id can be of. */
export const NamedKind = z.enum(["conversation", "message", "invocation"]);
export type NamedKind = z.infer<typeof NamedKind>;

export const FindId = WorkspaceParams.extend({
  id: Reference.describe("An id").meta({ example: "Vn4tR9sWy1" }),
});
export type FindId = z.output<typeof FindId>;

/** What an id is of. */
export const NamedId = z.object({
  kind: NamedKind.describe("What it is of").meta({ example: "message" }),
  sId: z.string().describe("The id").meta({ example: "Vn4tR9sWy1" }),
  name: z
    .string()
    .describe("Title of the conversation, or slug of the function")
    .meta({ example: "A refund" }),
  conversationId: z
    .string()
    .nullable()
    .describe("The conversation that it is in")
    .meta({ example: "Kd82jXq0Pz" }),
});
export type NamedId = z.infer<typeof NamedId>;

export const NamedIds = z.object({
  found: z
    .array(NamedId)
    .describe("What the caller reaches with this id; nothing for an unknown one"),
});
export type NamedIds = z.infer<typeof NamedIds>;
