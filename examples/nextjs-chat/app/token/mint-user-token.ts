import { createRpcClient } from "parley-client";

/** What a browser gets. */
export interface UserToken {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

const LIFETIME_SECONDS = 600;

/** Creates a token with which the program of a user acts; the key of the workspace stays here. */
export async function mintUserToken(externalId: string): Promise<UserToken> {
  const { PARLEY_URL = "", PARLEY_WORKSPACE = "", PARLEY_API_KEY = "" } = process.env;
  const rpc = createRpcClient({ url: PARLEY_URL, apiKey: PARLEY_API_KEY });
  const { userToken, secret } = await rpc.userTokens.create.mutate({
    wId: PARLEY_WORKSPACE,
    externalId,
    scopes: ["conversations:read", "conversations:write"],
    lifetimeSeconds: LIFETIME_SECONDS,
  });
  return { token: secret, expiresAt: userToken.expiresAt };
}
