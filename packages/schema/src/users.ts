import * as z from "zod";
import { OfWorkspace } from "./params.ts";
import { Milliseconds, optional, Reference, ShortText, text } from "./text.ts";

/** A member of the workspace, or the service user of a key. */
export const User = z.object({
  sId: z.string().describe("Id of the user"),
  id: z.int().describe("Number of the user"),
  createdAt: Milliseconds.describe("When the user was made"),
  username: z.string().describe("User name"),
  email: z.string().describe("E-mail address; empty for a service user"),
  firstName: z.string().describe("First name"),
  lastName: z.string().describe("Last name; may be empty"),
  fullName: z.string().describe("Full name"),
  provider: z
    .enum(["auth0", "github", "google", "okta", "samlp", "waad", ""])
    .describe("Authentication provider, or the empty string"),
  image: z.string().describe("Address of a picture; may be empty"),
});
export type User = z.infer<typeof User>;

export const AddMember = OfWorkspace.extend({
  email: ShortText.regex(/^\S+@\S+$/, { error: "must be an e-mail address" }).describe(
    "E-mail address",
  ),
  username: optional(ShortText.min(1)).describe("User name; what comes before the @ by default"),
  firstName: ShortText.min(1).describe("First name"),
  lastName: optional(ShortText).describe("Last name"),
  image: optional(text(2048)).describe("Address of a picture"),
});
export type AddMember = z.output<typeof AddMember>;

export const MemberIdentity = OfWorkspace.extend({
  memberId: Reference.describe("Id of the member"),
});
