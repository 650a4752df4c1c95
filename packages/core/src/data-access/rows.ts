import type * as tables from "@parley/db";

export type WorkspaceRow = typeof tables.workspaces.$inferSelect;
export type UserRow = typeof tables.users.$inferSelect;
export type ApiKeyRow = typeof tables.apiKeys.$inferSelect;
export type SpaceRow = typeof tables.spaces.$inferSelect;
export type AgentRow = typeof tables.agents.$inferSelect;
export type ConversationRow = typeof tables.conversations.$inferSelect;
export type SummaryRow = typeof tables.conversationSummaries.$inferSelect;
export type MessageRow = typeof tables.messages.$inferSelect;
export type ActionRow = typeof tables.actions.$inferSelect;
export type RunRow = typeof tables.runs.$inferSelect;
export type SandboxFunctionRow = typeof tables.sandboxFunctions.$inferSelect;
export type FunctionVersionRow = typeof tables.sandboxFunctionVersions.$inferSelect;
export type InvocationRow = typeof tables.invocations.$inferSelect;
export type FileRow = typeof tables.files.$inferSelect;
