import type { Entry } from "../entry.ts";
import { accessEntries } from "./access.ts";
import { alertEntries } from "./alerts.ts";
import { agentEntries } from "./agents.ts";
import { connectionEntries } from "./connection.ts";
import { conversationEntries } from "./conversations.ts";
import { fileEntries } from "./files.ts";
import { folderEntries } from "./folders.ts";
import { functionEntries } from "./functions.ts";
import { memoryEntries } from "./memories.ts";
import { knowledgeEntries } from "./knowledge.ts";
import { operatorEntries } from "./operators.ts";
import { scheduleEntries } from "./schedules.ts";
import { serverEntries } from "./server.ts";
import { skillEntries } from "./skills.ts";
import { toolEntries } from "./tools.ts";
import { traceEntries } from "./traces.ts";
import { triggerEntries } from "./triggers.ts";
import { webhookEntries } from "./webhooks.ts";

/** The entry of every command. */
export const entries: readonly Entry[] = [
  ...serverEntries,
  ...connectionEntries,
  ...conversationEntries,
  ...agentEntries,
  ...skillEntries,
  ...fileEntries,
  ...knowledgeEntries,
  ...folderEntries,
  ...functionEntries,
  ...toolEntries,
  ...accessEntries,
  ...alertEntries,
  ...memoryEntries,
  ...scheduleEntries,
  ...traceEntries,
  ...triggerEntries,
  ...webhookEntries,
  ...operatorEntries,
];
