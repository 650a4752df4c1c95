export * from "./contract.ts";
export { describeValues, renderInstructions } from "./instruction-values.ts";
export {
  MAX_SERVER_TOOLS,
  MAX_SERVERS,
  type OfferedFunction,
  skillsLoadedBy,
} from "./offered-functions.ts";
export { type CountFitting, countModule } from "./count-tokens.ts";
export * from "./prompt.ts";
export * from "./prompt-files.ts";
export * from "./prompt-parts.ts";
export * from "./provider.ts";
export { describeCut, describeCutParams, type ReadResult, resultsTool } from "./results.ts";
export { type KnowledgeSource, knowledgeTools } from "./knowledge.ts";
export { BUDGET_EXCEEDED } from "./call-meter.ts";
export { type CountTokens, countPrompt } from "./count-prompt.ts";
export { keptReplay } from "./providers/kept-replay.ts";
export * from "./simulated.ts";
export * from "./skills.ts";
export * from "./providers/access.ts";
export * from "./providers/embed-texts.ts";
export { takesFilesOfResults } from "./providers/sent-files.ts";
export type { SentRequest } from "./providers/sent-request.ts";
export * from "./providers/service-provider.ts";
export type { AnswerFormat } from "./structured-answer.ts";
export * from "./summary-message.ts";
export { addUsage, type PassedOver, type TokenUsage } from "./token-usage.ts";
export * from "./turn.ts";
