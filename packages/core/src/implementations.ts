import type { Endpoint, EndpointAuth, EndpointName, Endpoints } from "@parley/schema";
import { accessImplementations } from "./access/implementations.ts";
import type { SessionServices } from "./access/sessions.ts";
import { activityImplementations } from "./activity/implementations.ts";
import { agentImplementations } from "./agents/implementations.ts";
import { alertImplementations } from "./alerts/implementations.ts";
import { analyticsImplementations } from "./analytics/implementations.ts";
import { auditImplementations } from "./audit/implementations.ts";
import { callImplementations } from "./calls/implementations.ts";
import { conversationImplementations } from "./conversations/implementations.ts";
import { recordedRequestImplementations } from "./requests/implementations.ts";
import { summaryImplementations } from "./summaries/implementations.ts";
import { cancelRun } from "./cancel-run.ts";
import type { CoreContext, CoreRequest } from "./create-core.ts";
import { deleteSpace } from "./delete-space.ts";
import { deleteWorkspace } from "./delete-workspace.ts";
import { fileImplementations } from "./files/implementations.ts";
import { functionImplementations } from "./functions/implementations.ts";
import type { Implementation } from "./implementation.ts";
import { invocationImplementations } from "./invocations/implementations.ts";
import { replayTrial, tryAgent } from "./launches/try-agent.ts";
import { knowledgeImplementations } from "./knowledge/implementations.ts";
import { retrievalImplementations } from "./retrieval/implementations.ts";
import { skillImplementations } from "./skills/implementations.ts";
import { toolImplementations } from "./tools/implementations.ts";
import { traceDestinationImplementations } from "./trace-destinations/implementations.ts";
import { traceImplementations } from "./traces/implementations.ts";
import { triggerImplementations } from "./triggers/implementations.ts";
import { usageImplementations } from "./usage/implementations.ts";
import { memoryImplementations } from "./memories/implementations.ts";
import { measureImplementations } from "./measures/implementations.ts";
import { scheduleImplementations } from "./schedules/implementations.ts";
import { searchImplementations } from "./search/implementations.ts";
import { webSourceImplementations } from "./web-sources/implementations.ts";
import { webhookImplementations } from "./webhooks/implementations.ts";
import { workspaceImplementations } from "./workspaces/implementations.ts";

/** The context of a call: only administration and what is about the caller itself has callers of no workspace. */
type ContextOf<E extends Endpoint> = E extends { readonly auth: EndpointAuth }
  ? CoreRequest & SessionServices
  : CoreContext & SessionServices;

/** The implementation of every endpoint. */
export const implementations = {
  ...accessImplementations,
  ...activityImplementations,
  ...agentImplementations,
  ...alertImplementations,
  ...measureImplementations,
  ...memoryImplementations,
  ...analyticsImplementations,
  ...auditImplementations,
  ...callImplementations,
  ...conversationImplementations,
  ...summaryImplementations,
  ...recordedRequestImplementations,
  ...fileImplementations,
  ...functionImplementations,
  ...invocationImplementations,
  ...knowledgeImplementations,
  ...retrievalImplementations,
  ...webSourceImplementations,
  ...skillImplementations,
  ...toolImplementations,
  ...traceDestinationImplementations,
  ...traceImplementations,
  ...triggerImplementations,
  ...usageImplementations,
  ...scheduleImplementations,
  ...searchImplementations,
  ...webhookImplementations,
  ...workspaceImplementations,
  "agents.try": { make: tryAgent, replay: replayTrial },
  "runs.cancel": cancelRun,
  "spaces.delete": deleteSpace,
  "workspaces.delete": deleteWorkspace,
} satisfies { readonly [N in EndpointName]: Implementation<Endpoints[N], ContextOf<Endpoints[N]>> };
