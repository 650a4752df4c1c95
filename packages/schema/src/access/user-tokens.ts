import * as z from "zod";
import { administer, administered } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Success, WorkspaceParams } from "../params.ts";
import { Milliseconds, optional, Reference, ShortText } from "../parsing/text.ts";
import { TokenScope } from "../roles.ts";
import { TokenBudget } from "../usage/budgets.ts";
import { Email, User } from "./members.ts";

/** Every character that a user token may have. */
export const USER_TOKEN_PATTERN = /^ut-[A-Za-z0-9]{40}$/;

const MAX_LIFETIME_SECONDS = 24 * 60 * 60;

/** A token of a user, without its secret. */
export const UserToken = z.object({
  sId: z.string().describe("Id of the token").meta({ example: "tok_Jd4Nw8Rs1C" }),
  userId: z.string().describe("Id of the token's user").meta({ example: "Us3rAb12Cd" }),
  keyId: z
    .string()
    .describe("Id of the key under which it acts")
    .meta({ example: "key_Hs6Lp1Qv8D" }),
  scopes: z.array(TokenScope).describe("What it may be used for"),
  spaceIds: z.array(z.string()).describe("Restricted spaces that it can see"),
  createdAt: Milliseconds.describe("When the token was created"),
  expiresAt: Milliseconds.describe("When the token expires"),
});
export type UserToken = z.infer<typeof UserToken>;

const named = {
  userId: optional(Reference).describe("Id of the user; either this or externalId"),
  externalId: optional(ShortText.min(1))
    .describe("Id of the user in your own system; an unknown one creates the user")
    .meta({ example: "customer-1017" }),
};

export const CreateUserToken = WorkspaceParams.extend({
  ...named,
  email: optional(Email).describe(
    "E-mail address of a new user; a member's address selects that member",
  ),
  username: optional(ShortText.min(1)).describe("User name of a new user"),
  firstName: optional(ShortText.min(1)).describe("First name of a new user"),
  lastName: optional(ShortText).describe("Last name of a new user"),
  scopes: z.array(TokenScope).min(1).max(20).describe("What the token may be used for"),
  spaceIds: optional(z.array(Reference).max(1000)).describe(
    "Restricted spaces that the token can see, a subset of the key's; none by default",
  ),
  lifetimeSeconds: z
    .int()
    .min(1)
    .max(MAX_LIFETIME_SECONDS)
    .default(3600)
    .describe("How long the token is valid: an hour by default, a day at most"),
  budget: optional(TokenBudget).describe(
    "What the user may spend, in place of what an earlier token said; needs a key of role builder",
  ),
});
export type CreateUserToken = z.output<typeof CreateUserToken>;

export const CreatedUserToken = z.object({
  userToken: UserToken.describe("The new token"),
  user: User.describe("The token's user"),
  secret: z.string().describe("The token itself; shown only once").meta({ example: "ut-…" }),
});
export type CreatedUserToken = z.infer<typeof CreatedUserToken>;

export const RevokeUserTokens = WorkspaceParams.extend({
  tokenId: optional(Reference).describe("Id of the one token to revoke"),
  userId: optional(Reference).describe("Id of the user whose tokens are all revoked"),
});
export type RevokeUserTokens = z.output<typeof RevokeUserTokens>;

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
    summary: "Create a token for a user's own program",
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
