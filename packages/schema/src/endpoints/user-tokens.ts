import type { Endpoint } from "../endpoint.ts";
import { Success } from "../params.ts";
import { CreatedUserToken, CreateUserToken, RevokeUserTokens } from "../workspaces/user-tokens.ts";
import { administer, administered } from "./defaults.ts";

/** Operations on the tokens of users. */
export const userTokenEndpoints = {
  "userTokens.create": {
    ...administer({
      role: "user",
      method: "POST",
      path: `${administered}/user-tokens`,
      input: CreateUserToken,
    }),
    rateLimit: "create",
    summary: "Create a token with which a user's own program acts",
    subject: [],
    output: CreatedUserToken,
    errors: ["workspace_not_found", "member_not_found", "member_already_exists", "space_not_found"],
  },
  "userTokens.revoke": {
    ...administer({
      role: "user",
      method: "DELETE",
      path: `${administered}/user-tokens`,
      input: RevokeUserTokens,
    }),
    summary: "Revoke a user's token, or all tokens of a user",
    subject: [],
    output: Success,
    errors: ["workspace_not_found", "user_token_not_found", "member_not_found"],
  },
} as const satisfies Record<string, Endpoint>;
