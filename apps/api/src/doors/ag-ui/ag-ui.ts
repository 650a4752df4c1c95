import { doors } from "@parley/schema";
import type { FastifyInstance } from "fastify";
import type { ApiServices } from "../../services.ts";
import { registerDoor } from "../door.ts";
import { ofApplication } from "./application-state.ts";
import { startRun } from "./start-run.ts";
import { streamRun } from "./stream-run.ts";

/** Serves agents as those of AG-UI: a thread is a conversation, and a run an answer, or a part of one. */
export function registerAgUi(app: FastifyInstance, services: ApiServices): void {
  registerDoor(app, services, {
    endpoint: doors["agUi.run"],
    handle: async (exchange, request) => {
      const { threadId, runId } = request;
      const { state } = ofApplication(request);
      await streamRun(exchange, { threadId, runId, state, ...(await startRun(exchange, request)) });
      return undefined;
    },
  });
}
