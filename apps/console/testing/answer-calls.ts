import { expect, vi } from "vitest";

/** A call of the server that the console's clients sent. */
export interface Call {
  /** `POST /assistant/…`, from the workspace's path on, or the name of a procedure as in `runs.get`. */
  readonly to: string;
  /** The body, the query, or the input of a procedure. */
  readonly input: unknown;
}

/** Answers to calls by target: a value, a promise of it, or a thrown `Refusal`. */
export type Answers = Readonly<Record<string, (input: never) => unknown>>;

interface Issue {
  readonly path: string;
  readonly message: string;
}

/** An error that the server answers with; its request has the id `req_1`. */
export class Refusal extends Error {
  readonly issues: readonly Issue[];

  constructor(message: string, issues: readonly Issue[] = []) {
    super(message);
    this.issues = issues;
  }
}

/** An answer that refuses the call. */
export const refuse = (message: string) => (): never => {
  throw new Refusal(message);
};

/** The inputs of the calls of one endpoint, in their order. */
export const inputsOf = (calls: readonly Call[], to: string): readonly unknown[] =>
  calls.filter((call) => call.to === to).map(({ input }) => input);

const WORKSPACE_PATH = /^\/api\/(?:v1\/)?w\/wks_1/;
let unanswered: string[] = [];

/** Answers the calls of the console's clients in place of the server, and lists them as they come. */
export function answerCalls(answers: Answers): readonly Call[] {
  const calls: Call[] = [];
  const answer = async (call: Call): Promise<unknown> => {
    calls.push(call);
    const given = answers[call.to];
    if (given !== undefined) return given(call.input as never);
    unanswered.push(call.to);
    throw new Refusal(`The test answers no ${call.to}`);
  };
  vi.stubGlobal("fetch", async (target: string | URL, init: RequestInit = {}) => {
    const url = new URL(target, location.origin);
    return url.pathname.startsWith("/rpc/")
      ? answerBatch(url, { init, answer })
      : answerRequest(url, { init, answer });
  });
  return calls;
}

/** Expects that each call since the last one had an answer. */
export function expectAllAnswered(): void {
  const left = unanswered;
  unanswered = [];
  expect(left).toEqual([]);
}

interface Asked {
  readonly init: RequestInit;
  readonly answer: (call: Call) => Promise<unknown>;
}

async function answerRequest(url: URL, { init, answer }: Asked): Promise<Response> {
  const { method = "GET", body } = init;
  const to = `${method} ${url.pathname.replace(WORKSPACE_PATH, "")}`;
  const query = Object.fromEntries(url.searchParams);
  const input: unknown = typeof body === "string" ? JSON.parse(body) : (body ?? query);
  try {
    return Response.json(await answer({ to, input }));
  } catch (error) {
    const { message, issues } = error as Refusal;
    const refused = { type: "invalid_request_error", message, issues, request_id: "req_1" };
    return Response.json({ error: refused }, { status: 400 });
  }
}

interface Sent {
  readonly json: Readonly<Record<string, unknown>>;
  readonly meta?: { readonly values?: Readonly<Record<string, unknown>> };
}

/** The input of a procedure. superjson sends members that are undefined as null, and names them beside. */
const inputOf = ({ json, meta }: Sent = { json: {} }): unknown =>
  Object.fromEntries(Object.entries(json).filter(([name]) => meta?.values?.[name] === undefined));

/** Answers the procedures that one request calls. */
async function answerBatch(url: URL, { init, answer }: Asked): Promise<Response> {
  const sent = typeof init.body === "string" ? init.body : (url.searchParams.get("input") ?? "{}");
  const inputs = JSON.parse(sent) as Record<string, Sent>;
  const names = url.pathname.slice("/rpc/".length).split(",");
  const results = names.map(async (to, nth) => {
    try {
      return { result: { data: { json: await answer({ to, input: inputOf(inputs[nth]) }) } } };
    } catch (error) {
      const { message, issues } = error as Refusal;
      const data = { code: "BAD_REQUEST", httpStatus: 400, request_id: "req_1", issues };
      return { error: { json: { message, code: -32_600, data } } };
    }
  });
  return Response.json(await Promise.all(results));
}
