import { doors, ParleyError, renderOpenAiError } from "@parley/schema";
import type { FastifyInstance } from "fastify";
import { callEndpoint } from "../../requests/call-endpoint.ts";
import type { ApiServices } from "../../services.ts";
import { type DoorExchange, registerDoor, withPlace } from "../door.ts";
import { compactResponse } from "./compact-response.ts";
import { startResponse } from "./create-response.ts";
import { listInputItems } from "./input-items.ts";
import { readResponse, streamResponse } from "./respond.ts";
import { parseResponseId, type ResponsePlace } from "./response-ids.ts";

/** Serves Open Responses: a response is an answer of an agent, or a part of one between what its caller sends. */
export function registerOpenResponses(app: FastifyInstance, services: ApiServices): void {
  const renderError = renderOpenAiError;
  registerDoor(app, services, {
    endpoint: doors["openResponses.create"],
    renderError,
    handle: async (exchange, request) => {
      const isTemporary = request.store === false;
      if (request.stream === true) {
        return withPlace(exchange, async (holding) => {
          const place = await startResponse(holding, request);
          return streamResponse(holding, place, { isTemporary });
        });
      }
      const place = await startResponse(exchange, request);
      const onlySoFar = request.background === true;
      return readResponse(exchange, place, { onlySoFar, isTemporary });
    },
  });
  registerDoor(app, services, {
    endpoint: doors["openResponses.compact"],
    renderError,
    handle: compactResponse,
  });
  registerDoor(app, services, {
    endpoint: doors["openResponses.get"],
    renderError,
    handle: async (exchange, { responseId, stream, starting_after }) => {
      const place = requirePlace(responseId);
      if (stream === true)
        return streamResponse(exchange, place, { startingAfter: starting_after });
      return readResponse(exchange, place, { onlySoFar: true });
    },
  });
  registerDoor(app, services, {
    endpoint: doors["openResponses.delete"],
    renderError,
    handle: async (exchange, { responseId }) => {
      const { conversationId: cId } = requirePlace(responseId);
      await callEndpoint(exchange, "conversations.delete", { params: { cId } });
      return { id: responseId, object: "response", deleted: true };
    },
  });
  registerDoor(app, services, {
    endpoint: doors["openResponses.cancel"],
    renderError,
    handle: async (exchange, { responseId }) => {
      const place = requirePlace(responseId);
      const params = { cId: place.conversationId };
      const body = { messageIds: [place.messageId] };
      await callEndpoint(exchange, "conversations.cancel", { params, body });
      return readResponse(exchange, place, { onlySoFar: true });
    },
  });
  registerDoor(app, services, {
    endpoint: doors["openResponses.listInputItems"],
    renderError,
    handle: async (exchange, { responseId }) => listInputItems(exchange, requirePlace(responseId)),
  });
  registerDoor(app, services, {
    endpoint: doors["openResponses.listModels"],
    renderError,
    handle: async (exchange) => listModels(exchange),
  });
}

function requirePlace(id: string): ResponsePlace {
  const place = parseResponseId(id);
  if (place !== undefined) return place;
  throw new ParleyError("message_not_found", "There is no response with this id");
}

async function listModels(exchange: DoorExchange): Promise<object> {
  const { agentConfigurations } = await callEndpoint(exchange, "agents.list");
  const { name } = exchange.context.caller.workspace;
  return {
    object: "list",
    data: agentConfigurations.map(({ sId, versionCreatedAt }) => ({
      id: `agent/${sId}`,
      object: "model",
      created: Math.floor(Date.parse(versionCreatedAt ?? "") / 1000) || 0,
      owned_by: name,
    })),
  };
}
