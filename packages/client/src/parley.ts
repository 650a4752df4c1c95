import type { ConversationEvent, InvocationEvent, MessageEvent } from "@parley/schema";
import { callEndpoint, type Caller, openEndpoint, searchOf, sendForm } from "./call-endpoint.ts";
import { createSend, type ParleyOptions } from "./connection.ts";
import { AnswerFailed } from "./errors.ts";
import { uploadFile, type UploadedFile, type UploadFile } from "./files.ts";
import { follow, type FollowOptions, type Follower } from "./follow.ts";
import type { CallOptions, Input, Method, Output } from "./methods.ts";
import { fillPath, type RouteName } from "./routes.ts";
import { skillForm, type ImportSkillFolders } from "./skills.ts";

/** Which conversation, message or invocation is followed, and how. */
type Follow<N extends RouteName, E> = (input: Input<N>, options?: FollowOptions) => Follower<E>;

/** The public API of one workspace: a method for each endpoint, by feature. */
export interface Parley {
  readonly agents: {
    /** Lists the agents that can be mentioned, by name. */
    readonly list: Method<"agents.list">;
  };
  readonly contentFragments: {
    /** Adds a text, a file or a document to what the agents of a conversation read. */
    readonly create: Method<"contentFragments.create">;
  };
  readonly conversations: {
    /** Creates a conversation; with `blocking`, answers when its agents have. */
    readonly create: Method<"conversations.create">;
    /** Reads a conversation with its messages. */
    readonly get: Method<"conversations.get">;
    /** Lists conversations without their messages, the newest first, a page at a time. */
    readonly list: Method<"conversations.list">;
    /** Marks a conversation as read, or gives it a title. */
    readonly update: Method<"conversations.update">;
    /** Deletes a conversation and all of its content. */
    readonly delete: Method<"conversations.delete">;
    /** Cancels answers that are being written. */
    readonly cancel: Method<"conversations.cancel">;
    /** Follows the messages of a conversation; it never ends by itself. */
    readonly follow: Follow<"conversations.events", ConversationEvent>;
  };
  readonly files: {
    /** Announces a file; `upload` does this by itself. */
    readonly create: Method<"files.create">;
    /** Uploads a file, or the content of one that was announced. */
    readonly upload: (input: UploadFile, options?: CallOptions) => Promise<UploadedFile>;
    /** Reads a file; its time limit ends where the bytes begin. */
    readonly get: (input: Input<"files.get">, options?: CallOptions) => Promise<Response>;
  };
  readonly functions: {
    /** Lists the functions that can be invoked, by slug, a page at a time. */
    readonly list: Method<"sandboxFunctions.list">;
    /** Invokes a function, by id or slug, and waits a while for its outcome. */
    readonly invoke: Method<"sandboxFunctions.invoke">;
  };
  readonly invocations: {
    /** Lists the invocations of a function, the newest first, a page at a time. */
    readonly list: Method<"invocations.list">;
    /** Reads an invocation, with its outcome once it has one. */
    readonly get: Method<"invocations.get">;
    /** Cancels an invocation; one that has ended stays as it ended. */
    readonly cancel: Method<"invocations.cancel">;
    /** Follows an invocation to its end, with what it prints and its progress where included. */
    readonly follow: (
      input: FollowInvocation,
      options?: FollowOptions,
    ) => Follower<InvocationEvent>;
  };
  readonly messages: {
    /** Posts a message; with `blocking`, answers when the mentioned agents have. */
    readonly create: Method<"messages.create">;
    /** Lets an agent answer again: a new version of its message. */
    readonly retry: Method<"messages.retry">;
    /** Approves or rejects a tool call that waits for it. */
    readonly validateAction: Method<"messages.validateAction">;
    /** Follows an agent's answer to its end: text, reasoning and tool calls. */
    readonly follow: Follow<"messages.events", MessageEvent>;
    /** Yields the text of an agent's answer as it is written. Throws `AnswerFailed`. */
    readonly text: (
      input: Input<"messages.events">,
      options?: FollowOptions,
    ) => AsyncGenerator<string, undefined, undefined>;
  };
  readonly skills: {
    /** Lists the skills of the workspace, by name. */
    readonly list: Method<"skills.list">;
    /** Imports Agent Skills folders: all of them, or none where one is refused. */
    readonly import: (
      input: ImportSkillFolders,
      options?: CallOptions,
    ) => Promise<Output<"skills.import">>;
  };
  readonly spaces: {
    /** Lists the spaces that the key reaches. */
    readonly list: Method<"spaces.list">;
  };
}

/** Which invocation is followed. */
export interface FollowInvocation {
  readonly functionId: string;
  readonly invocationId: string;
  /** What to tell beside the beginning and the end; nothing by default. */
  readonly include?: readonly ("log" | "progress")[] | undefined;
}

const endOfMessage = new Set([
  "agent_message_success",
  "agent_error",
  "agent_generation_cancelled",
] satisfies MessageEvent["type"][]);
const endOfInvocation = new Set([
  "sandbox_function_invocation_result",
  "sandbox_function_invocation_error",
] satisfies InvocationEvent["type"][]);

/**
 * Makes a client of the public API for one workspace. Methods take one flat object, and how the call
 * is made; they reject with `ParleyError`. Requests that may be sent again are: reading ones, and
 * those that make something, under an Idempotency-Key of their own.
 *
 * @example
 * const parley = createParley({ baseUrl: url, workspaceId, apiKey });
 * const { conversation } = await parley.conversations.create({
 *   message: { content: "Hello!", mentions: [{ configurationId: "helper" }] },
 *   blocking: true,
 * });
 * console.log(agentMessages(conversation)[0]?.content); // You said: Hello! …
 */
export function createParley(options: ParleyOptions): Parley {
  const caller: Caller = { send: createSend(options), options };

  function method<N extends RouteName>(name: N): Method<N> {
    const call = async (
      input: Readonly<Record<string, unknown>> = {},
      callOptions: CallOptions = {},
    ) => callEndpoint(caller, { name, input, options: callOptions });
    // The server's answers are what the endpoint table says: its own tests parse each of them.
    return call as Method<N>;
  }

  function pathOf(name: RouteName, input: Readonly<Record<string, unknown>>): string {
    return fillPath(name, options.workspaceId, input).path;
  }

  function followMessage(input: Input<"messages.events">, followOptions?: FollowOptions) {
    const path = pathOf("messages.events", input);
    const stream = { path, terminal: endOfMessage, isEnveloped: true };
    return follow<MessageEvent>(caller, stream, followOptions);
  }

  return {
    agents: { list: method("agents.list") },
    contentFragments: { create: method("contentFragments.create") },
    conversations: {
      create: method("conversations.create"),
      get: method("conversations.get"),
      list: method("conversations.list"),
      update: method("conversations.update"),
      delete: method("conversations.delete"),
      cancel: method("conversations.cancel"),
      follow: (input, followOptions) => {
        const path = pathOf("conversations.events", input);
        return follow(caller, { path, terminal: new Set(), isEnveloped: true }, followOptions);
      },
    },
    files: {
      create: method("files.create"),
      upload: async (input, callOptions) => uploadFile(caller, input, callOptions),
      get: async (input, callOptions = {}) =>
        openEndpoint(caller, { name: "files.get", input, options: callOptions }),
    },
    functions: { list: method("sandboxFunctions.list"), invoke: method("sandboxFunctions.invoke") },
    invocations: {
      list: method("invocations.list"),
      get: method("invocations.get"),
      cancel: method("invocations.cancel"),
      follow: ({ include, ...input }, followOptions) => {
        const query = include?.length ? searchOf([["include", include.join(",")]]) : "";
        const path = pathOf("sandboxFunctions.events", input) + query;
        return follow(
          caller,
          { path, terminal: endOfInvocation, isEnveloped: false },
          followOptions,
        );
      },
    },
    messages: {
      create: method("messages.create"),
      retry: method("messages.retry"),
      validateAction: method("messages.validateAction"),
      follow: followMessage,
      text: (input, followOptions) => readText(followMessage(input, followOptions)),
    },
    skills: {
      list: method("skills.list"),
      import: async (input, callOptions = {}) => {
        const call = { name: "skills.import", input: {}, options: callOptions } as const;
        const report = await sendForm(caller, { ...call, form: skillForm(input) });
        return report as Output<"skills.import">;
      },
    },
    spaces: { list: method("spaces.list") },
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
