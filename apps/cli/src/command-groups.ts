import { Command as TypedCommand } from "@commander-js/extra-typings";
import {
  createBootstrapCommand,
  createDoctorCommand,
  createServerCommands,
} from "@parley/server/commands";
import { createAgentCommands } from "./administration/agents.ts";
import { createApprovalCommands } from "./administration/approvals.ts";
import { createAuditCommands } from "./administration/audit.ts";
import { createBudgetCommands, createServerBudgetCommands } from "./administration/budgets.ts";
import { createConversationAdministration } from "./administration/conversations.ts";
import { createCredentialCommands } from "./administration/credentials.ts";
import { createFeedbackCommands } from "./administration/feedback.ts";
import { createFileCommands } from "./administration/files.ts";
import { createKeyCommands } from "./administration/keys.ts";
import { createMemberCommands } from "./administration/members.ts";
import { createModelCommands } from "./administration/models.ts";
import { createOperatorKeyCommands } from "./administration/operator-keys.ts";
import { createPriceCommands, createServerPriceCommands } from "./administration/prices.ts";
import { createRunCommands } from "./administration/runs.ts";
import { createSpaceCommands } from "./administration/spaces.ts";
import { createAlertCommands } from "./administration/alerts.ts";
import { createMemoryCommands } from "./administration/memories.ts";
import { createOverviewCommand } from "./administration/overview.ts";
import { createUsageCommand } from "./administration/usage.ts";
import { createTriggerCommands } from "./administration/triggers.ts";
import { createUserCommands } from "./administration/user-tokens.ts";
import { createWebhookCommands } from "./administration/webhooks.ts";
import { createWorkspaceCommands } from "./administration/workspaces.ts";
import { createChatCommand } from "./conversations/chat/commands.ts";
import { createConversationCommands } from "./conversations/commands.ts";
import { createConnectionCommands } from "./connection/commands.ts";
import { createFunctionCommands } from "./functions/commands.ts";
import { createKnowledgeCommands } from "./knowledge/commands.ts";
import { createTraceCommands } from "./traces/commands.ts";
import { createScheduleCommands } from "./schedules/commands.ts";
import { createSkillCommands } from "./skills/commands.ts";
import { createToolCommands } from "./tools/commands.ts";
import { createWorkspaceFolderCommands } from "./workspace-folders/commands.ts";
import type { Context } from "./connection/context.ts";
import { withServer } from "./connection/server-options.ts";

/** The words that commands are called by, and what makes them. */
type Maker = readonly [words: string, make: (context: Context) => object | readonly object[]];

interface CommandGroup {
  readonly title: string;
  readonly makers: readonly Maker[];
}

/** Commands in the order of the help. Their words are known before they are made: to make all takes a tenth of a second. */
export const commandGroups: readonly CommandGroup[] = [
  {
    title: "On the server's machine:",
    makers: [
      ["serve api worker migrate export import database", createServerCommands],
      [
        "doctor",
        (context) =>
          createDoctorCommand(context, withServer(new TypedCommand("doctor")), async (options) =>
            (await import("./connection/called-server.ts")).openCalledServer(context, options),
          ),
      ],
    ],
  },
  {
    title: "With a running server:",
    makers: [
      ["login logout profiles whoami status console update", createConnectionCommands],
      ["chat", createChatCommand],
      ["ask tail", createConversationCommands],
      ["conversations", createConversationAdministration],
      ["runs", createRunCommands],
      ["approvals", createApprovalCommands],
      ["agents", createAgentCommands],
      ["feedback", createFeedbackCommands],
      ["skills", createSkillCommands],
      ["functions", createFunctionCommands],
      ["tools", createToolCommands],
      ["files", createFileCommands],
      ["knowledge", createKnowledgeCommands],
      ["spaces", createSpaceCommands],
      ["members", createMemberCommands],
      ["users", createUserCommands],
      ["keys", (context) => createKeyCommands(context, [createBootstrapCommand(context)])],
      ["models", createModelCommands],
      ["credentials", createCredentialCommands],
      ["prices", createPriceCommands],
      ["budgets", createBudgetCommands],
      ["schedules", createScheduleCommands],
      ["triggers", createTriggerCommands],
      ["webhooks", createWebhookCommands],
      ["traces", createTraceCommands],
      ["audit", createAuditCommands],
      ["alerts", createAlertCommands],
      ["memories", createMemoryCommands],
      ["overview", createOverviewCommand],
      ["usage", createUsageCommand],
      ["workspaces", createWorkspaceCommands],
      ["operator-keys", createOperatorKeyCommands],
      ["server-prices", createServerPriceCommands],
      ["server-budgets", createServerBudgetCommands],
      ["apply pull", createWorkspaceFolderCommands],
    ],
  },
];
