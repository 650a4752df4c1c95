import { probeServer } from "@parley/command/probe-server";
import { callServer } from "./call-server.ts";
import type { Context } from "./context.ts";
import { findServer, type NamedServer } from "./find-server.ts";
import type { ServerOptions } from "./server-options.ts";
import { describeSession } from "./who-am-i.ts";

/** What the doctor asks of the server that commands call. */
export const openCalledServer = (context: Context, options: ServerOptions) => ({
  find: async () => findServer(context, options),
  probe: async (url: string, timeoutMs: number) => callServer(probeServer(url, timeoutMs)),
  describeKey: async (server: Pick<NamedServer, "url" | "apiKey">, timeoutMs: number) => {
    const { rpc } = context.connect(server);
    const signal = AbortSignal.timeout(timeoutMs);
    const { session } = await callServer(rpc.session.get.query({}, { signal }));
    return describeSession(session);
  },
});
