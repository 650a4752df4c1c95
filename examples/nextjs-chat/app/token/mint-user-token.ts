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
  const { PARLEY_URL = "", PARLEY_WORKSPACE_ID = "", PARLEY_API_KEY = "" } = process.env;
  // A server without tokens of users answers `not_found`.
  const rpc = createRpcClient({ url: PARLEY_URL, apiKey: PARLEY_API_KEY }) as unknown as Rpc;
  const { userToken, secret } = await rpc.userTokens.create.mutate({
    workspaceId: PARLEY_WORKSPACE_ID,
    externalId,
    scopes: ["conversations:read", "conversations:write"],
    lifetimeSeconds: LIFETIME_SECONDS,
  });
  return { token: secret, expiresAt: userToken.expiresAt };
}

/** The procedure, as far as it is used here. */
interface Rpc {
  readonly userTokens: {
    readonly create: {
      readonly mutate: (input: {
        workspaceId: string;
        externalId: string;
        scopes: string[];
        lifetimeSeconds: number;
      }) => Promise<{ userToken: { expiresAt: number }; secret: string }>;
    };
  };
}
