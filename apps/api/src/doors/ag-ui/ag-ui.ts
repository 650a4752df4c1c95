import { doors } from "@parley/schema";
import type { FastifyInstance } from "fastify";
import type { ApiServices } from "../../services.ts";
import { registerDoor, withPlace } from "../door.ts";
import { ofApplication } from "./application-state.ts";
import { startRun } from "./start-run.ts";
import { streamRun } from "./stream-run.ts";

/** Serves agents as those of AG-UI: a thread is a conversation, and a run an answer, or a part of one. */
export function registerAgUi(app: FastifyInstance, services: ApiServices): void {
  registerDoor(app, services, {
    endpoint: doors["agUi.run"],
    handle: async (exchange, request) =>
      withPlace(exchange, async (holding) => {
        const { threadId, runId } = request;
        const { state } = ofApplication(request);
        const started = await startRun(holding, request);
        await streamRun(holding, { threadId, runId, state, ...started });
        return undefined;
      }),
  });
}
