import type { Endpoint } from "../endpoint.ts";
import { Success } from "../params.ts";
import { CreatedUserToken, CreateUserToken, RevokeUserTokens } from "../workspaces/user-tokens.ts";
import { adminMutation } from "./defaults.ts";

/** Operations on the tokens of users. */
export const userTokenEndpoints = {
  "userTokens.create": {
    ...adminMutation,
    role: "user",
    rateLimit: "create",
    summary: "Create a token with which a user's own program acts",
    subject: [],
    input: CreateUserToken,
    output: CreatedUserToken,
    errors: ["workspace_not_found", "member_not_found", "member_already_exists", "space_not_found"],
  },
  "userTokens.revoke": {
    ...adminMutation,
    role: "user",
    summary: "Revoke a user's token, or all tokens of a user",
    subject: [],
    input: RevokeUserTokens,
    output: Success,
    errors: ["workspace_not_found", "user_token_not_found", "member_not_found"],
  },
} as const satisfies Record<string, Endpoint>;
