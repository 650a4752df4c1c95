import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
import { WorkspaceParams, Success } from "../params.ts";
import { pageByNumber, pageEnd } from "../parsing/page.ts";
import {
  AddMember,
  ListEmails,
  MemberEmails,
  MemberIdentity,
  MemberLocale,
  ReadLocale,
  User,
} from "../workspaces/users.ts";
import { administer, administered, get, post } from "./defaults.ts";

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
    output: z.object({ members: z.array(User).describe("Members, the oldest first"), ...pageEnd }),
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
