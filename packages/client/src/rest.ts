import {
  type CreateConversation,
  type CreatedConversation,
  ErrorBody,
  type ImportReport,
  type ImportSkills,
  type Issue,
  type InvokedSandboxFunction,
  type InvokeSandboxFunction,
  type ListSkills,
  type SkillList,
} from "@parley/schema";
import type * as z from "zod";
import { followEvents, type InvocationEvents } from "./follow.ts";

export interface ParleyOptions {
  /** Address of the server, as in `http://127.0.0.1:3000`. */
  readonly baseUrl: string;
  readonly workspaceId: string;
  readonly apiKey: string;
}

/** An answer that is an error; `type` is a row of the server's error table. */
export class RequestFailed extends Error {
  override readonly name = "RequestFailed";
  readonly status: number;
  readonly type: string;
  readonly requestId: string | undefined;
  /** The single faults of an invalid request. */
  readonly issues: readonly Issue[];

  constructor(status: number, body: unknown) {
    const { error } = ErrorBody.safeParse(body).data ?? {};
    super(error?.message ?? `The server answered with status ${status}`);
    this.status = status;
    this.type = error?.type ?? "unexpected_response_format";
    this.requestId = error?.request_id;
    this.issues = error?.issues ?? [];
  }
}

interface CallOptions {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** Sent as JSON, but for forms. */
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** Makes the client of the public REST API for one workspace. */
export function createParley({ baseUrl, workspaceId, apiKey }: ParleyOptions) {
  const root = baseUrl.replace(/\/+$/, "");
  const authorization = `Bearer ${apiKey}`;
  const workspace = encodeURIComponent(workspaceId);

  async function call<T>({ method, path, body, headers }: CallOptions): Promise<T> {
    const isForm = body instanceof FormData;
    const type = isForm ? {} : { "content-type": "application/json" };
    const response = await fetch(root + path, {
      method,
      headers: { authorization, ...type, ...headers },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    const answer: unknown = await response.json().catch(() => undefined);
    if (!response.ok) throw new RequestFailed(response.status, answer);
    // The server's answers are what the endpoint table says: its own tests parse each of them.
    return answer as T;
  }

  const functions = `/api/w/${workspace}/sandbox-functions`;
  return {
    conversations: {
      /** Creates a conversation; with `blocking`, answers when its agents have. */
      create: (body: z.input<typeof CreateConversation>): Promise<CreatedConversation> =>
        call({ method: "POST", path: `/api/v1/w/${workspace}/assistant/conversations`, body }),
    },
    skills: {
      /** Lists the workspace's skills, by name. */
      list: (query: z.input<typeof ListSkills> = {}): Promise<SkillList> => {
        const pairs = Object.entries(query).flatMap(([name, value]) =>
          [value].flat().map((one) => [name, String(one)]),
        );
        const search = new URLSearchParams(pairs).toString();
        return call({ method: "GET", path: `/api/v1/w/${workspace}/skills?${search}` });
      },
      /** Imports Agent Skills folders; the path of a file begins with its skill's folder. */
      import: (
        files: readonly { path: string; bytes: Uint8Array<ArrayBuffer> }[],
        fields: z.input<typeof ImportSkills> = {},
      ): Promise<ImportReport> => {
        const body = new FormData();
        for (const [name, value] of Object.entries(fields)) body.append(name, value ?? "");
        for (const file of files) body.append("files", new Blob([file.bytes]), file.path);
        return call({ method: "POST", path: `/api/v1/w/${workspace}/skills`, body });
      },
    },
    sandboxFunctions: {
      /** Invokes a function and waits for its outcome, `waitSeconds` at most. */
      invoke: (
        functionId: string,
        body: z.input<typeof InvokeSandboxFunction>,
        { waitSeconds }: { waitSeconds?: number } = {},
      ): Promise<InvokedSandboxFunction> =>
        call({
          method: "POST",
          path: `${functions}/${encodeURIComponent(functionId)}/invocations`,
          body,
          ...(waitSeconds !== undefined && { headers: { prefer: `wait=${waitSeconds}` } }),
        }),
      /** Follows an invocation to its end. */
      follow: (functionId: string, invocationId: string): InvocationEvents => {
        const ids = `${encodeURIComponent(functionId)}/invocations/${encodeURIComponent(invocationId)}`;
        return followEvents(
          `${root}${functions}/${ids}/events?include=log,progress`,
          authorization,
        );
      },
    },
  };
}
