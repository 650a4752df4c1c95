// What the sandbox and its children say to each other. The code inside is a stranger: the sandbox checks
// whatever comes out of a child.

/** The limits that a child keeps by itself; the sandbox enforces those of time and memory from outside. */
export interface GuestLimits {
  readonly cpuMs: number;
  readonly memoryBytes: number;
  readonly maxOutputBytes: number;
  readonly maxLogLines: number;
  readonly logBytes: number;
}

/** Ids and the place of an invocation, as its code sees them. */
export interface GuestInvocation {
  readonly id: string;
  readonly functionId: string;
  readonly version: number;
  readonly attempt: number;
  readonly timezone: string;
}

/** To a child. */
export type ToChild =
  /** Runs a module; its code is the body. */
  | {
      readonly type: "run";
      readonly input: string;
      readonly limits: GuestLimits;
      readonly invocation: GuestInvocation;
      /** Only those that the code may read. */
      readonly secrets: Readonly<Record<string, string>>;
    }
  /** Answers a request; the answer's content is the body. */
  | { readonly type: "fetched"; readonly id: number; readonly answer: FetchAnswer }
  /** Lets a parked program continue. */
  | { readonly type: "resume" }
  /** Ends what runs. */
  | { readonly type: "end" };

export type FetchAnswer =
  | {
      readonly status: number;
      readonly url: string;
      readonly headers: readonly (readonly [string, string])[];
    }
  | { readonly error: { readonly code: string; readonly message: string } };

/** What a request asks for; its content is the body. */
export interface FetchRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly redirect: "follow" | "manual";
  readonly hasBody: boolean;
}

/** Why the code of an invocation failed, as its child saw it. */
export type GuestFailure =
  | "threw"
  | "import_failed"
  | "bad_return"
  | "output_too_large"
  | "log_too_large"
  | "cpu_exceeded"
  | "out_of_memory";

/** From a child. */
export type FromChild =
  /** Its runtime is there, and it waits for a module. */
  | { readonly type: "ready" }
  | { readonly type: "log"; readonly stream: "stdout" | "stderr"; readonly text: string }
  | { readonly type: "progress"; readonly fraction: number; readonly label: string }
  /** Lines and reports of progress past their limits. */
  | { readonly type: "dropped"; readonly lines: number; readonly reports: number }
  | { readonly type: "fetch"; readonly id: number; readonly request: FetchRequest }
  /** The code waits for timers and answers only, and runs again after `resume`. */
  | { readonly type: "parked" }
  /** What parked code waited for is there. */
  | { readonly type: "due" }
  /** The JSON of the result is the body. */
  | { readonly type: "returned" }
  | {
      readonly type: "failed";
      readonly code: GuestFailure;
      readonly message: string;
      readonly stack: string;
      /** Of an error that `context` threw: `fetch_refused`, `secret_refused`. */
      readonly reason: string;
    };
