import { requireConversationOf } from "../access/conversation-reach.ts";
import { replaySuccess } from "../idempotency.ts";
import type { Implementations } from "../implementation.ts";
import { answerAsClientServer } from "./answer-requests.ts";
import {
  deregisterClientServer,
  findClientServerStream,
  keepClientServer,
  registerClientServer,
  replayHeartbeat,
  replayRegistration,
  requireClientServer,
} from "./client-servers.ts";
import { changeConversationTools, listSpaceTools } from "./conversation-tools.ts";
import {
  getToolConnection,
  refreshToolNow,
  registerTool,
  updateToolConnection,
} from "./register-tools.ts";
import { createTool, listTools, removeTool, updateTool } from "./tool-administration.ts";
import {
  getToolAuthorization,
  replayToolAuthorization,
  revokeToolAuthorization,
  startToolAuthorization,
} from "./tool-authorizations.ts";

/** The endpoints that are implemented here. */
export const toolImplementations = {
  "clientServers.answer": {
    make: answerAsClientServer,
    replay: replaySuccess(requireClientServer),
  },
  "clientServers.deregister": {
    make: deregisterClientServer,
    replay: async () => ({ success: true }),
  },
  "clientServers.events": findClientServerStream,
  "clientServers.heartbeat": { make: keepClientServer, replay: replayHeartbeat },
  "clientServers.register": { make: registerClientServer, replay: replayRegistration },
  "conversations.changeTools": {
    make: changeConversationTools,
    replay: replaySuccess(requireConversationOf),
  },
  "toolAuthorizations.get": getToolAuthorization,
  "toolAuthorizations.revoke": revokeToolAuthorization,
  "toolAuthorizations.start": { make: startToolAuthorization, replay: replayToolAuthorization },
  "tools.create": createTool,
  "tools.getConnection": getToolConnection,
  "tools.list": listTools,
  "tools.listOfSpace": listSpaceTools,
  "tools.refresh": refreshToolNow,
  "tools.register": registerTool,
  "tools.remove": removeTool,
  "tools.update": updateTool,
  "tools.updateConnection": updateToolConnection,
} satisfies Implementations;
