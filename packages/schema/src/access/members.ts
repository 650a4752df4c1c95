import * as z from "zod";
import { administer, administered, get, post } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Success, WorkspaceParams } from "../params.ts";
import { longPage, pageByNumber, pageEnd } from "../parsing/page.ts";
import {
  flagFromQuery,
  Milliseconds,
  optional,
  Reference,
  ShortText,
  UrlText,
} from "../parsing/text.ts";

/** A member of the workspace, or the service user of a key. */
export const User = z.object({
  sId: z.string().describe("Id of the user").meta({ example: "Us3rAb12Cd" }),
  id: z.int().describe("Number of the user").meta({ example: 1 }),
  createdAt: Milliseconds.describe("When the user was created"),
  username: z.string().describe("User name").meta({ example: "ada" }),
  email: z
    .string()
    .describe("E-mail address; empty for a service user")
    .meta({ example: "ada@example.com" }),
  firstName: z.string().describe("First name").meta({ example: "Ada" }),
  lastName: z.string().describe("Last name; may be empty").meta({ example: "Lovelace" }),
  fullName: z.string().describe("Full name").meta({ example: "Ada Lovelace" }),
  provider: z
    .enum(["auth0", "github", "google", "okta", "samlp", "waad", ""])
    .describe("Authentication provider, or the empty string")
    .meta({ example: "" }),
  image: z
    .string()
    .describe("Absolute URL of a picture")
    .meta({ example: "https://parley.test/pictures/user-1.svg" }),
});
export type User = z.infer<typeof User>;

export const Email = ShortText.regex(/^\S+@\S+$/, { error: "must be an e-mail address" });

export const AddMember = WorkspaceParams.extend({
  email: Email.describe("E-mail address").meta({ example: "ada@example.com" }),
  username: optional(ShortText.min(1)).describe("User name; the part before the @ by default"),
  firstName: ShortText.min(1).describe("First name").meta({ example: "Ada" }),
  lastName: optional(ShortText).describe("Last name"),
  image: optional(UrlText).describe("URL of a picture; a default picture if omitted"),
});
export type AddMember = z.output<typeof AddMember>;

export const MemberIdentity = WorkspaceParams.extend({
  memberId: Reference.describe("Id of the member").meta({ example: "Us3rAb12Cd" }),
});

/** Query of the listing of e-mail addresses. */
export const ListEmails = z.object({
  activeOnly: optional(flagFromQuery)
    .transform((isGiven) => isGiven ?? false)
    .describe("Whether to leave out members that were removed; false by default"),
  ...longPage("Addresses", 10_000),
});
export type ListEmails = z.output<typeof ListEmails>;

export const MemberEmails = z.object({
  emails: z
    .array(z.string())
    .describe("Addresses, the oldest member's first")
    .meta({ example: ["ada@example.com"] }),
  ...pageEnd,
});
export type MemberEmails = z.infer<typeof MemberEmails>;

/** Body of the question for a member's language. */
export const ReadLocale = z.object({
  email: optional(Email)
    .describe("E-mail address of a member")
    .meta({ example: "ada@example.com" }),
});
export type ReadLocale = z.output<typeof ReadLocale>;

/** Languages. Members have none of their own: what people see is in English. */
export const MemberLocale = z.object({
  localisationEnabled: z.literal(false).describe("Always false"),
  userLocale: z.null().describe("Always null: members have no language setting"),
  workspaceLocale: z.literal("en").describe("Always English"),
});
export type MemberLocale = z.infer<typeof MemberLocale>;

/** Operations on the members of a workspace. */
export const memberEndpoints = {
  "members.listEmails": {
    ...get,
    summary: "List the e-mail addresses of the members",
    role: "admin",
    scope: null,
    tags: ["workspace"],
    path: "/api/v1/w/{wId}/members/emails",
    params: WorkspaceParams,
    query: ListEmails,
    output: MemberEmails,
  },
  "members.readLocale": {
    ...post,
    summary: "Read the languages of the workspace and of a member",
    role: "admin",
    scope: null,
    tags: ["workspace"],
    path: "/api/v1/w/{wId}/members/locale",
    params: WorkspaceParams,
    body: ReadLocale,
    output: MemberLocale,
    onlyReads: true,
    rateLimit: "read",
  },
  "members.add": {
    ...administer({
      role: "admin",
      method: "POST",
      path: `${administered}/members`,
      input: AddMember,
    }),
    summary: "Add a member",
    subject: [],
    output: z.object({ member: User.describe("The new member") }),
    errors: ["workspace_not_found", "member_already_exists"],
  },
  "members.list": {
    ...administer({
      role: "user",
      method: "GET",
      path: `${administered}/members`,
      input: WorkspaceParams.extend(pageByNumber("Members")),
    }),
    summary: "List the members of a workspace",
    output: z.object({ members: z.array(User).describe("Members, oldest first"), ...pageEnd }),
  },
  "members.remove": {
    ...administer({
      role: "admin",
      method: "DELETE",
      path: `${administered}/members/{memberId}`,
      input: MemberIdentity,
    }),
    summary: "Remove a member",
    subject: ["memberId"],
    output: Success,
    errors: ["workspace_not_found", "member_not_found"],
  },
} as const satisfies Record<string, Endpoint>;
