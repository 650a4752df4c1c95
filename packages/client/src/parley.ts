import type { ConversationEvent, InvocationEvent, MessageEvent } from "@parley/schema";
import { callEndpoint, type Caller, openEndpoint, searchOf, sendForm } from "./call-endpoint.ts";
import { createSend, type ParleyOptions } from "./connection.ts";
import { AnswerFailed } from "./errors.ts";
import { uploadFile, type UploadedFile, type UploadFile } from "./files.ts";
import { follow, followChunks, type FollowOptions, type Follower } from "./follow.ts";
import type { FollowConversation, FollowInvocation } from "./followed.ts";
import { createKnowledgeMethods, followServer } from "./knowledge.ts";
import type { CallOptions, DownloadName, Input, Method, Output } from "./methods.ts";
import { fillPath } from "./routes.ts";
import type { RouteName } from "./schema-tables.ts";
import { type ImportSkillFolders, skillForm } from "./skills.ts";
import { createAdminReads } from "./admin-reads.ts";
import { createSummaryMethods } from "./summaries.ts";
import { createUsageMethods } from "./usage.ts";

/** The public API of one workspace: a method for each endpoint, by feature. */
export type Parley = ReturnType<typeof createParley>;

/**
 * Creates a client of the public API for one workspace. Methods take one flat object and the options
 * of the call; they reject with `ParleyError`. Requests are retried if that is safe: reads, and
 * creates, each of which has an Idempotency-Key of its own.
 *
 * @example
 * const parley = createParley({ baseUrl: url, workspaceId, apiKey });
 * const { conversation } = await parley.conversations.create({
 *   message: { content: "Hello!", mentions: [{ configurationId: "helper" }] },
 *   blocking: true,
 * });
 * console.log(agentMessages(conversation)[0]?.content); // You said: Hello! …
 */
export function createParley(options: ParleyOptions) {
  const caller: Caller = { send: createSend(options), options };

  function method<N extends RouteName>(name: N): Method<N> {
    const call = async (
      input: Readonly<Record<string, unknown>> = {},
      callOptions: CallOptions = {},
    ) => callEndpoint(caller, { name, input, options: callOptions });
    // The server's responses are those of the endpoint table: its own tests parse each of them.
    return call as Method<N>;
  }

  function download<N extends DownloadName>(name: N) {
    return async (input: Input<N>, callOptions: CallOptions = {}): Promise<Response> =>
      openEndpoint(caller, { name, input, options: callOptions });
  }

  function pathOf(name: RouteName, input: Readonly<Record<string, unknown>>): string {
    return fillPath(name, options.workspaceId, input).path;
  }

  function pathWith(
    name: RouteName,
    { include = [], ...input }: { readonly include?: readonly string[] | undefined },
  ): string {
    const query = include.length > 0 ? searchOf([["include", include.join(",")]]) : "";
    return pathOf(name, input) + query;
  }

  function followMessage(input: FollowConversation<"messages.events">, how?: FollowOptions) {
    const stream = { path: pathWith("messages.events", input), isEnveloped: true };
    return follow<MessageEvent>(caller, stream, how);
  }

  return {
    actions: {
      /** Lists the tool calls that wait for approval in all conversations, a page at a time. */
      listBlocked: method("actions.listBlocked"),
    },
    agents: {
      /** Lists the agents that can be mentioned, by name. */
      list: method("agents.list"),
      /** Finds agents by a part of their names. */
      search: method("agents.search"),
      /** Reads an agent. */
      get: method("agents.get"),
      /** Marks an agent as a favourite of the caller's user; with an admin key, changes the agent. */
      patch: method("agents.patch"),
      /** Archives an agent; needs an admin key. */
      delete: method("agents.delete"),
      /** Creates an agent with a model of the workspace; needs a key of a builder. */
      createGeneric: method("agents.createGeneric"),
      /** Reads an agent as a file in YAML; needs a key of a builder. */
      export: download("agents.export"),
      /** Imports an agent from YAML; needs a key of a builder. */
      import: method("agents.import"),
      /** Asks a version of an agent, or a definition that is not saved, in a temporary conversation. */
      try: method("agents.try"),
    },
    ...createUsageMethods(method, download),
    clientServers: {
      /** Registers an MCP server that runs in this client. */
      register: method("clientServers.register"),
      /** Says that a server is still there: it is gone five minutes after the last time. */
      heartbeat: method("clientServers.heartbeat"),
      /** Removes a server before it expires. */
      deregister: method("clientServers.deregister"),
      /** Gives a JSON-RPC message of a server: the response to a request. */
      answer: method("clientServers.answer"),
      /** Follows the requests to a server; it ends when the server is gone. */
      follow: (input: { readonly serverId: string }, followOptions?: FollowOptions) =>
        followServer(caller, { path: pathOf("clientServers.events", {}), ...input }, followOptions),
    },
    contentFragments: {
      /** Adds a text, a file or a document to what the agents of a conversation read. */
      create: method("contentFragments.create"),
    },
    conversations: {
      /** Creates a conversation; with `blocking`, responds when its agents have answered. */
      create: method("conversations.create"),
      /** Reads a conversation with its messages. */
      get: method("conversations.get"),
      /** Reads what the answers of a conversation took: tokens, steps, calls and times. */
      getConsumption: method("conversations.getConsumption"),
      listTasks: method("conversations.listTasks"),
      /** Lists conversations without their messages, the newest first, a page at a time. */
      list: method("conversations.list"),
      /** Marks a conversation as read, or gives it a title. */
      update: method("conversations.update"),
      /** Deletes a conversation and all of its content. */
      delete: method("conversations.delete"),
      /** Lists the tool calls of a conversation that wait for approval. */
      listBlockedActions: method("conversations.listBlockedActions"),
      /** Adds a tool to a conversation, or takes it away. */
      changeTools: method("conversations.changeTools"),
      /** Cancels answers that are being written. */
      cancel: method("conversations.cancel"),
      /** Follows the messages of a conversation; it never ends by itself. */
      follow: (
        input: FollowConversation<"conversations.events">,
        followOptions?: FollowOptions,
      ): Follower<ConversationEvent> => {
        const stream = { path: pathWith("conversations.events", input), isEnveloped: true };
        return follow(caller, stream, followOptions);
      },
    },
    ...createKnowledgeMethods(method),
    featureFlags: {
      /** Lists the feature flags of the workspace, of which there are none. */
      list: method("featureFlags.list"),
    },
    ...createSummaryMethods(method),
    feedbacks: {
      /** Says what the caller thinks of an answer, in place of what it said before. */
      give: method("feedbacks.give"),
      /** Reads the caller's own feedback on an answer. */
      get: method("feedbacks.get"),
      /** Deletes the caller's own feedback on an answer. */
      withdraw: method("feedbacks.withdraw"),
      /** Lists the caller's own feedback in a conversation, a page at a time. */
      listOwn: method("feedbacks.listOwn"),
    },
    files: {
      /** Announces a file; `upload` does this by itself. */
      create: method("files.create"),
      /** Uploads a file, or the content of one that was announced. */
      upload: async (input: UploadFile, callOptions?: CallOptions): Promise<UploadedFile> =>
        uploadFile(caller, input, callOptions),
      /** Reads a file; its time limit ends where the bytes begin. */
      get: download("files.get"),
      /** Reads a file that a tool has made, by its `filePath`. */
      getGenerated: download("files.getGenerated"),
      /** Reads the same by the path itself. */
      getByPath: download("files.getByPath"),
      /** Deletes a file; fragments that use it stay, without its bytes. */
      delete: method("files.delete"),
    },
    functions: {
      /** Lists the functions that can be invoked, by slug, a page at a time. */
      list: method("sandboxFunctions.list"),
      /** Invokes a function, by id or slug, and waits a while for its outcome. */
      invoke: method("sandboxFunctions.invoke"),
    },
    invocations: {
      /** Lists the invocations of a function, the newest first, a page at a time. */
      list: method("invocations.list"),
      /** Reads an invocation, with its outcome once it has one. */
      get: method("invocations.get"),
      /** Cancels an invocation; one that has ended stays as it ended. */
      cancel: method("invocations.cancel"),
      /** Follows an invocation to its end, with its output and its progress if included. */
      follow: (
        input: FollowInvocation,
        followOptions?: FollowOptions,
      ): Follower<InvocationEvent> => {
        const path = pathWith("sandboxFunctions.events", input);
        return follow(caller, { path }, followOptions);
      },
    },
    ...createAdminReads(method),
    mentions: {
      /** Finds the agents and members that a text names after an @. */
      parse: method("mentions.parse"),
      /** Suggests agents and members to mention. */
      suggest: method("mentions.suggest"),
      /** Suggests agents and members to mention in a conversation. */
      suggestInConversation: method("mentions.suggestInConversation"),
    },
    messages: {
      /** Reads what an answer was asked with, and the tokens of its steps. */
      getAnswer: method("messages.getAnswer"),
      /** Reads what was sent to the model for a step of an answer; needs an admin's key, or one of an editor. */
      getRequest: method("messages.getRequest"),
      /** Posts a message; with `blocking`, responds when the mentioned agents have answered. */
      create: method("messages.create"),
      /** Changes a user's message: a new version, which the mentioned agents answer. */
      edit: method("messages.edit"),
      /** Lets an agent answer again: a new version of its message. */
      retry: method("messages.retry"),
      /** Approves or rejects a tool call that waits for it. */
      validateAction: method("messages.validateAction"),
      /** Answers a question of an agent, which then continues. */
      answerQuestion: method("messages.answerQuestion"),
      /** Sends the outputs of the application's own tools, which an answer has called. */
      sendToolOutputs: method("messages.sendToolOutputs"),
      /** Follows an agent's answer to its end: text, reasoning and tool calls. */
      follow: followMessage,
      /** Follows an agent's answer as chunks of the AI SDK, to its end or to where calls wait for a decision. */
      followChunks: (input: Omit<Input<"messages.events">, "include">, how?: FollowOptions) =>
        followChunks(caller, pathOf("messages.events", input), how),
      /** Yields the text of an agent's answer as it is written. Throws `AnswerFailed`. */
      text: (input: FollowConversation<"messages.events">, followOptions?: FollowOptions) =>
        readText(followMessage(input, followOptions)),
    },
    skills: {
      /** Lists the skills of the workspace, by name. */
      list: method("skills.list"),
      /** Reads a skill of the list. */
      read: method("skills.read"),
      /** Archives a skill; needs a key of a builder. */
      delete: method("skills.delete"),
      /** Reads a skill as a zip archive of its folder; needs a key of a builder. */
      export: download("skills.export"),
      /** Imports Agent Skills folders: all of them, or none if one is refused. */
      import: async (input: ImportSkillFolders, callOptions: CallOptions = {}) => {
        const call = { name: "skills.import", input: {}, options: callOptions } as const;
        const report = await sendForm(caller, { ...call, form: skillForm(input) });
        return report as Output<"skills.import">;
      },
    },
    spaces: {
      /** Lists the spaces that the key reaches. */
      list: method("spaces.list"),
      /** Lists the ids of the conversations in a space, a page at a time. */
      listConversationIds: method("spaces.listConversationIds"),
      /** Lists the conversations in a space with their messages, a page at a time. */
      listConversations: method("spaces.listConversations"),
      /** Reads a space as a project. */
      getProjectMetadata: method("spaces.getProjectMetadata"),
      /** Lists the newest files of the conversations in a space. */
      listProjectFiles: method("spaces.listProjectFiles"),
    },
    toolAuthorizations: {
      /** Reads whether the user has let a tool be called. */
      get: method("toolAuthorizations.get"),
      /** Takes back that a tool may be called for the user. */
      revoke: method("toolAuthorizations.revoke"),
      /** Begins to let a tool be called for the user, and gives the page that the user's browser opens. */
      start: method("toolAuthorizations.start"),
    },
    tools: {
      /** Calls a tool of a remote server, to try it, and waits a while for its outcome; needs a key of a builder. */
      invoke: method("tools.invoke"),
      /** Lists the tools of a space. */
      listOfSpace: method("tools.listOfSpace"),
    },
    verifiedDomains: {
      /** Lists the verified domains of the workspace, of which there are none. */
      list: method("verifiedDomains.list"),
    },
    workspaces: {
      /** Confirms that the credential is one of the workspace; rejects otherwise. */
      exists: method("workspaces.exists"),
    },
  };
}

async function* readText(
  events: Follower<MessageEvent>,
): AsyncGenerator<string, undefined, undefined> {
  for await (const event of events) {
    if (event.type === "generation_tokens" && event.classification === "tokens") yield event.text;
    if (event.type === "agent_error") throw new AnswerFailed(event.error);
    if (event.type === "agent_generation_cancelled") {
      const message = "The answer was cancelled";
      throw new AnswerFailed({ code: "cancelled", message, metadata: null });
    }
  }
}
