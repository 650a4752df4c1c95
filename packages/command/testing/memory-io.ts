import { EventEmitter } from "node:events";
import { Readable, Writable } from "node:stream";
import type { Io } from "../src/io.ts";

/** The command has ended its process with a code. */
export class Exit extends Error {
  override readonly name = "Exit";
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

interface MemoryIoOptions {
  /** All that standard input has. */
  readonly stdin?: string | undefined;
  /** Nothing of this process is in it. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Makes all three streams those of a terminal of this width. */
  readonly columns?: number | undefined;
}

/** The streams of a command in memory, with what it has printed so far. Its `exit` throws `Exit`. */
export function openMemoryIo({ stdin = "", environment = {}, columns }: MemoryIoOptions = {}) {
  const output = { stdout: "", stderr: "" };
  const collect = (name: "stdout" | "stderr") =>
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        output[name] += chunk.toString("latin1");
        done();
      },
    });
  const isTerminal = columns !== undefined;
  const signal = new EventEmitter();
  const io: Io = {
    stdin: Readable.from(stdin === "" ? [] : [Buffer.from(stdin)]),
    stdout: collect("stdout"),
    stderr: collect("stderr"),
    columns,
    isTerminal: { stdin: isTerminal, stdout: isTerminal, stderr: isTerminal },
    environment: { ...environment },
    signal,
    exit: (code) => {
      throw new Exit(code);
    },
  };
  const read = (name: "stdout" | "stderr"): string =>
    Buffer.from(output[name], "latin1").toString("utf8");
  return {
    io,
    signal,
    output: {
      get stdout() {
        return read("stdout");
      },
      get stderr() {
        return read("stderr");
      },
    },
  };
}
