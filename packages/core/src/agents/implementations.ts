import type { Implementations } from "../implementation.ts";
import {
  archiveAgent,
  createAgent,
  deleteAgent,
  restoreAgent,
  updateAgent,
} from "./agent-administration.ts";
import { exportAgent, importAgent, replayAgentImport } from "./agent-files.ts";
import { createGenericAgent, replayGenericAgent } from "./generic-agents.ts";
import { parseMentions, findMentions, suggestInConversation, suggestMentions } from "./mentions.ts";
import { patchAgent } from "./patch-agent.ts";
import {
  getAgent,
  getAgentDefinition,
  listAgents,
  listAllAgents,
  searchAgents,
} from "./read-agents.ts";
import { getAgentVersion, listAgentVersions, restoreAgentVersion } from "./version-history.ts";

/** The endpoints that are implemented here. */
export const agentImplementations = {
  "agents.archive": archiveAgent,
  "agents.create": createAgent,
  "agents.createGeneric": { make: createGenericAgent, replay: replayGenericAgent },
  "agents.delete": deleteAgent,
  "agents.export": exportAgent,
  "agents.get": getAgent,
  "agents.getDefinition": getAgentDefinition,
  "agents.getVersion": getAgentVersion,
  "agents.import": { make: importAgent, replay: replayAgentImport },
  "agents.list": listAgents,
  "agents.listAll": listAllAgents,
  "agents.listVersions": listAgentVersions,
  "agents.patch": patchAgent,
  "agents.restore": restoreAgent,
  "agents.restoreVersion": restoreAgentVersion,
  "agents.search": searchAgents,
  "agents.update": updateAgent,
  "mentions.parse": { make: parseMentions, replay: findMentions },
  "mentions.suggest": suggestMentions,
  "mentions.suggestInConversation": suggestInConversation,
} satisfies Implementations;
