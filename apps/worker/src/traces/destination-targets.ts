import { openDestinationHeaders, type Core, type TraceDestinationRow } from "@parley/core";
import { createGuard, type Guard } from "@parley/guarded-fetch";
import type { SpanTarget } from "./send-spans.ts";

/** Where the server's settings send the traces of all workspaces. */
export interface ServerTarget extends SpanTarget {
  readonly encoding: "protobuf" | "json";
}

/** Where and how a destination is reached. */
interface DestinationTarget extends ServerTarget {
  readonly guard: Guard;
}

/** What destinations stand for. */
export interface DestinationTargets {
  /** Whether it can be sent anything: the server's settings may no longer name theirs. */
  has(destination: TraceDestinationRow): boolean;
  of(destination: TraceDestinationRow): DestinationTarget | { readonly error: string };
}

/** Creates the targets: those of workspaces reach the public internet, the server's wherever its operator says. */
export function createTargets(
  core: Pick<Core, "secretBox">,
  {
    allowedHosts,
    server,
  }: { readonly allowedHosts: readonly string[]; readonly server: ServerTarget | undefined },
): DestinationTargets {
  const guard = createGuard({ allowedHosts });
  const ofServer = server && {
    ...server,
    guard: createGuard({ allowedHosts: [...allowedHosts, new URL(server.url).host] }),
  };
  return {
    has: ({ isOfServer }) => !isOfServer || ofServer !== undefined,
    of: (destination) => {
      if (destination.isOfServer) return ofServer ?? { error: "The server has no destination" };
      const headers = openDestinationHeaders(core, destination);
      if (headers === undefined) {
        return { error: "Its headers cannot be decrypted by this server's keys" };
      }
      const { url, encoding } = destination;
      return { url, encoding, headers, guard };
    },
  };
}
