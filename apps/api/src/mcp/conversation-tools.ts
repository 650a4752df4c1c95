import type { CallToolResult, ServerContext, Tool } from "@modelcontextprotocol/server";
import { type CallableAgent, findCallableAgent, listCallableAgents } from "@parley/core";
import { type AgentMessage, ParleyError } from "@parley/schema";
import * as z from "zod";
import { callEndpoint } from "../requests/call-endpoint.ts";
import { parseArguments } from "./arguments.ts";
import { type Answer, AnswerOutput, followAnswer, renderAnswer, toAnswer } from "./answers.ts";
import { unknownTool } from "./errors.ts";
import { withMember } from "./function-schemas.ts";
import { detached, isAllowed, isWanted, type McpExchange } from "./exchange.ts";
import { logUnexpected } from "../http/error-response.ts";
import { openProgress } from "./progress.ts";
import { toParleyError } from "@parley/rpc";
import { type ListPage, noTools, type ToolPage } from "./pages.ts";

/** Begins the names of agents as tools. */
export const AGENT = "agent__";
/** Name of the tool that reads an answer. */
export const READ = "conversation__read";

const AskAgent = z.object({
  message: z.string().min(1).describe("Message to the agent"),
  conversationId: z
    .string()
    .optional()
    .describe("Id of the conversation to continue; a new one by default"),
});
const ReadAnswer = z.object({
  conversationId: z.string().describe("Id of the conversation"),
  messageId: z.string().optional().describe("Id of an agent's message; the last one's by default"),
});

const schemaOf = (schema: z.ZodType, io: "input" | "output") =>
  z.toJSONSchema(schema, { io }) as Tool["inputSchema"];
const askSchema = schemaOf(AskAgent, "input");
const answerSchema = schemaOf(AnswerOutput, "output");

/** The schema of an agent's tool: the value of its answers has the agent's own. */
const answerSchemaOf = (schema: CallableAgent["answerSchema"]) =>
  schema === null ? answerSchema : withMember(answerSchema, "structuredOutput", schema);

const readTool: Tool = {
  name: READ,
  title: "Read an answer",
  description:
    "Reads an agent's answer in a conversation, and waits for it if it is not finished. For " +
    "answers that were not finished when the agent's tool returned.",
  inputSchema: schemaOf(ReadAnswer, "input"),
  outputSchema: answerSchema,
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
};

/** The tool that reads answers, of callers that may read conversations. */
export function answerTools(exchange: McpExchange): Tool[] {
  return isAllowed(exchange, "conversations.get") ? [readTool] : [];
}

function mayAsk(exchange: McpExchange): boolean {
  return isAllowed(exchange, "agents.list") && isAllowed(exchange, "conversations.create");
}

/** The active agents as tools, of callers that may list agents and write conversations. */
export async function listAgentTools(exchange: McpExchange, page: ListPage): Promise<ToolPage> {
  if (!mayAsk(exchange)) return noTools;
  const { agents, ...end } = await listCallableAgents(exchange.context, page);
  const tools = agents.map(({ slug, name, description, answerSchema: schema }): Tool => ({
    name: AGENT + slug,
    title: name,
    description,
    inputSchema: askSchema,
    outputSchema: answerSchemaOf(schema),
    // An agent may call functions and tools, of which some change things.
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    },
  }));
  return { tools, ...end };
}

/** A message that was posted to an agent, with the answer as it then was. */
interface Asked {
  readonly conversationId: string;
  readonly answer: Answer | undefined;
}

/**
 * Asks an agent in a new conversation, or in one of the caller's, and waits for the answer. Cancels the
 * answer if the client goes before it has it.
 */
export async function callAgent(
  exchange: McpExchange,
  { name, arguments: given }: { name: string; arguments?: unknown },
  call: ServerContext,
): Promise<CallToolResult> {
  const agent = mayAsk(exchange)
    ? await findCallableAgent(exchange.context, name.slice(AGENT.length))
    : undefined;
  if (agent === undefined) throw unknownTool(name);
  const asked = await ask(exchange, agent.sId, parseArguments(AskAgent, given));
  const { conversationId, answer } = asked;
  if (answer === undefined) {
    throw new ParleyError("agent_not_found", `The agent ${agent.name} is no longer active`);
  }
  if (answer.status !== "created") return renderAnswer(exchange, conversationId, answer);
  using progress = openProgress(exchange, call);
  const ended = await followAnswer(exchange, answer.messageId, progress);
  if (ended.status === "created" && !isWanted(exchange)) await cancel(exchange, asked);
  return renderAnswer(exchange, conversationId, ended);
}

async function ask(
  exchange: McpExchange,
  configurationId: string,
  { message: content, conversationId }: z.infer<typeof AskAgent>,
): Promise<Asked> {
  const message = { content, mentions: [{ configurationId }] };
  if (conversationId === undefined) {
    const created = await callEndpoint(exchange, "conversations.create", { body: { message } });
    const { conversation } = created;
    const answers = conversation.content
      .flat()
      .filter((one) => one.type === "agent_message")
      .filter(({ parentMessageId }) => parentMessageId === created.message.sId);
    return { conversationId: conversation.sId, answer: answers[0] && toAnswer(answers[0]) };
  }
  const { agentMessages } = await callEndpoint(exchange, "messages.create", {
    params: { cId: conversationId },
    body: message,
  });
  return { conversationId, answer: agentMessages[0] && toAnswer(agentMessages[0]) };
}

/** Nobody is left to see an error, so it is only logged. */
async function cancel(exchange: McpExchange, { conversationId, answer }: Asked): Promise<void> {
  try {
    await callEndpoint(detached(exchange), "conversations.cancel", {
      params: { cId: conversationId },
      body: { messageIds: [answer?.messageId] },
    });
  } catch (error) {
    logUnexpected(toParleyError(error), exchange.request);
  }
}

/** Reads an agent's message, and waits for it if it has not ended. */
export async function readAnswer(
  exchange: McpExchange,
  { arguments: given }: { arguments?: unknown },
  call: ServerContext,
): Promise<CallToolResult> {
  if (!isAllowed(exchange, "conversations.get")) throw unknownTool(READ);
  const { conversationId, messageId } = parseArguments(ReadAnswer, given);
  const message = await findMessage(exchange, conversationId, messageId);
  const answer = toAnswer(message);
  if (answer.status !== "created") return renderAnswer(exchange, conversationId, answer);
  using progress = openProgress(exchange, call);
  const ended = await followAnswer(exchange, answer.messageId, progress);
  return renderAnswer(exchange, conversationId, ended);
}

/** The agent's message of this id, in any version, or the last one. Throws `message_not_found`. */
async function findMessage(
  exchange: McpExchange,
  cId: string,
  messageId: string | undefined,
): Promise<AgentMessage> {
  let lastValue: string | null | undefined;
  do {
    const page = await callEndpoint(exchange, "conversations.get", {
      params: { cId },
      query: { limit: "100", ...(lastValue != null && { lastValue }) },
    });
    const found = page.conversation.content
      .flat()
      .filter((one) => one.type === "agent_message")
      .findLast(({ sId }) => messageId === undefined || sId === messageId);
    if (found !== undefined) return found;
    lastValue = page.hasMore === true ? page.lastValue : undefined;
  } while (lastValue != null);
  throw new ParleyError("message_not_found", "The conversation has no such agent message");
}
