import type { ClientServerMessage } from "@parley/schema";
import { type Caller, searchOf } from "./call-endpoint.ts";
import { follow, type FollowOptions, type Follower } from "./follow.ts";

/** Follows the requests to an MCP server in this client; `path` is that of all servers. */
export function followServer(
  caller: Caller,
  { path, serverId }: { readonly path: string; readonly serverId: string },
  options?: FollowOptions,
): Follower<ClientServerMessage> {
  const ofServer = path + searchOf([["serverId", serverId]]);
  return follow(caller, { path: ofServer, isEnveloped: true }, options);
}
