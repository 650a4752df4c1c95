import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
import { OfWorkspace, Success } from "../params.ts";
import { AddMember, MemberIdentity, User } from "../workspaces/users.ts";
import { adminMutation, adminQuery } from "./defaults.ts";

/** Operations on the members of a workspace. */
export const memberEndpoints = {
  "members.add": {
    ...adminMutation,
    summary: "Add a member",
    subject: [],
    input: AddMember,
    output: z.object({ member: User.describe("The new member") }),
    errors: ["workspace_not_found", "member_already_exists"],
  },
  "members.list": {
    ...adminQuery,
    role: "user",
    summary: "List the members of a workspace",
    input: OfWorkspace,
    output: z.object({ members: z.array(User).describe("Members, the oldest first") }),
  },
  "members.remove": {
    ...adminMutation,
    summary: "Remove a member",
    subject: ["memberId"],
    input: MemberIdentity,
    output: Success,
    errors: ["workspace_not_found", "member_not_found"],
  },
} as const satisfies Record<string, Endpoint>;
