/** The outcome of a method, as the published clients give it. */
interface Result<T> {
  isErr(): boolean;
  readonly value?: T;
  readonly error?: unknown;
}

interface PublishedMessage {
  readonly type: string;
  readonly sId: string;
  readonly status?: string;
  readonly title?: string;
  readonly content?: string;
  readonly version?: number;
}

export interface PublishedConversation {
  readonly sId: string;
  readonly content: readonly (readonly PublishedMessage[])[];
}

interface PublishedEvent {
  readonly type: string;
  readonly text?: string;
  readonly actionId?: string;
  readonly metadata?: { readonly toolName: string };
}

type Call<T> = (input: object) => Promise<Result<T>>;

interface PublishedView {
  readonly sId: string;
  readonly kind: string;
  readonly parentsIn: readonly string[] | null;
  readonly dataSource: { readonly sId: string };
}

interface PublishedNode {
  readonly internalId: string;
  readonly title: string;
}

/** The methods of the published clients that are called, by what is read of their answers. */
export interface Published {
  createConversation: Call<{
    conversation: PublishedConversation;
    message?: PublishedMessage | null;
  }>;
  getConversation: Call<PublishedConversation>;
  getConversations: () => Promise<Result<readonly PublishedConversation[]>>;
  postUserMessage: Call<PublishedMessage>;
  postContentFragment: Call<PublishedMessage>;
  streamAgentAnswerEvents: Call<{ eventStream: AsyncIterable<PublishedEvent> }>;
  validateAction: Call<unknown>;
  cancelMessageGeneration: Call<unknown>;
  uploadFile: Call<{ sId: string }>;
  deleteFile: Call<unknown>;
  getAgentConfigurations: Call<readonly { sId: string }[]>;
  getSpaces: Call<readonly { kind: string }[]>;
  /** Not of every version. */
  getBlockedActions?: Call<{ blockedActions: readonly { actionId: string; status: string }[] }>;
  retryMessage?: Call<PublishedMessage>;
  getDataSources: () => Promise<Result<readonly { sId: string; name: string }[]>>;
  upsertFolder: Call<{ folder: { folder_id: string; parents: readonly string[] } }>;
  deleteFolder: Call<unknown>;
  searchDataSourceViews: (params: URLSearchParams) => Promise<Result<readonly PublishedView[]>>;
  patchDataSourceView: (view: PublishedView, patch: object) => Promise<Result<PublishedView>>;
  searchNodes: Call<readonly PublishedNode[]>;
  searchUnified?: Call<{
    eventStream: AsyncIterable<{ knowledgeResults?: { nodes: readonly PublishedNode[] } }>;
  }>;
  getSpaceConversationIds?: Call<{ conversationIds: readonly string[] }>;
  getSpaceConversationsForDataSource?: Call<{ conversations: readonly PublishedConversation[] }>;
  getSpaceMetadata?: Call<{ metadata: { spaceId: string } | null }>;
  getSpaceProjectFiles?: Call<{ files: readonly { fileName: string }[] }>;
  getMCPServerViews: (
    spaceId: string,
    includeAuto: boolean,
  ) => Promise<Result<readonly { sId: string; name: string | null }[]>>;
  postConversationTools: Call<unknown>;
  answerUserQuestion?: Call<unknown>;
  getConversationFeedback: Call<readonly { messageId: string; thumbDirection: string }[]>;
  postFeedback: (cId: string, mId: string, feedback: object) => Promise<Result<unknown>>;
  deleteFeedback: (cId: string, mId: string) => Promise<Result<unknown>>;
  getWorkspaceFeatureFlags: () => Promise<Result<readonly string[]>>;
  getWorkspaceVerifiedDomains: () => Promise<Result<readonly object[]>>;
  getActiveMemberEmailsInWorkspace: () => Promise<Result<readonly string[]>>;
  exists?: () => Promise<Result<true>>;
  parseForMentions?: Call<string>;
  getMentionsSuggestions?: Call<readonly { id: string }[]>;
  createGenericAgentConfiguration?: Call<{
    agentConfiguration: { name: string };
    subAgentConfiguration?: { name: string } | undefined;
  }>;
}

/** What a method gives; throws if the client could not do it, or not read the answer. */
export function resultOf<T>(result: Result<T>): T {
  if (result.isErr()) throw new Error(JSON.stringify(result.error)?.slice(0, 1000));
  // What is not an error has a value.
  return result.value as T;
}
