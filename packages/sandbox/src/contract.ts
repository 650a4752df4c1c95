import type { Guard, ResolveHost } from "@parley/guarded-fetch";
import type { CodeLimits, ExecutorEvent, InvocationLimits, ProgramBundle } from "@parley/schema";
import type { GuestInvocation } from "./child/messages.ts";

/** A secret that the code of an execution may use. */
export interface UsedSecret {
  readonly name: string;
  readonly value: string;
  /** Whether the code may read it; otherwise it is put into headers only, outside. */
  readonly readable: boolean;
}

/** A request of code with the answer that it was given, without secrets. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

/** One run of a program. */
export interface SandboxExecution {
  /** A process serves one workspace in its life, and workspaces share the processes fairly. */
  readonly workspaceId: number;
  readonly bundle: ProgramBundle;
  /** JSON of the input. */
  readonly input: string;
  readonly invocation: GuestInvocation;
  readonly limits: InvocationLimits & CodeLimits;
  /** Hosts that the code may call, as `host` or `host:port`. */
  readonly allowedHosts: readonly string[];
  readonly secrets: readonly UsedSecret[];
  /** Answers its requests in place of the network. */
  readonly guard?: Guard | undefined;
  /** Called with each request that was answered. */
  readonly onAnswer?: ((exchange: Exchange) => void) | undefined;
  /** Ends the execution: the process is free or dead 200 ms later. */
  readonly signal: AbortSignal;
  /** Called once with the processor time that it has used, in milliseconds, before its end is told. */
  readonly onUsed?: ((cpuMs: number) => void) | undefined;
}

/** What holds the code: a process with WebAssembly, or one in namespaces of its own as well. */
export type Boundary = "process" | "namespace";

/** What the code of an execution threw, with the source map of its bundle. */
export interface ThrownError {
  readonly message: string;
  /** Calls in the bundle, as the code's engine wrote them, or as the code has. */
  readonly stack: string;
  readonly map: string;
  readonly workspaceId: number;
  readonly signal: AbortSignal;
}

export interface SandboxOptions {
  /** Programs that run at once: those that wait for a timer or an answer are not among them. */
  readonly maxProcesses: number;
  /** Memory of the processes whose programs wait. */
  readonly maxWaitingBytes: number;
  /** Hosts that may be private, and be called over http. */
  readonly privateHosts: readonly string[];
  /** Refuses to start without this boundary. */
  readonly require?: "namespace" | undefined;
  /** Writes an error for the author of the code, with the calls that led to it; its message alone by default. */
  readonly locateError?: (error: ThrownError) => Promise<string>;
  /** Replaces DNS in tests. */
  readonly resolve?: ResolveHost;
}

/** What a sandbox has done and has. */
export interface SandboxState {
  readonly boundary: Boundary;
  readonly processes: number;
  /** Those that have a program, and those of them whose program waits without a place. */
  readonly busy: number;
  readonly parked: number;
  /** Programs that wait for a place. */
  readonly waiting: number;
  /** Milliseconds of a processor that ended executions used; 0 if that cannot be known. */
  readonly cpuMs: number;
  /** Processes that were killed, by the reason. */
  readonly killed: Readonly<Record<KillReason, number>>;
}

export type KillReason = "cpu_exceeded" | "out_of_memory" | "stopped" | "broken" | "retired";

export interface Sandbox {
  /** Runs a program. Whatever its code does is an event; throws the reason of an aborted signal only. */
  run(execution: SandboxExecution): AsyncIterable<ExecutorEvent>;
  readonly boundary: Boundary;
  readonly state: SandboxState;
  /** Kills every process, and resolves when they are gone. */
  close(): Promise<void>;
}
