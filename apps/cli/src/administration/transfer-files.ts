import { createWriteStream, openAsBlob } from "node:fs";
import { rm, stat } from "node:fs/promises";
import path from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CommandError } from "@parley/command/command-error";
import type { Io } from "@parley/command/io";
import { oneLine, printLine, reportLine } from "@parley/command/print";
import { type Progress, startProgress } from "@parley/command/progress";
import { announcedType } from "@parley/schema/accepted-types";
import mime from "mime";
import { callServer } from "../connection/call-server.ts";
import { connect, type ServerConnection } from "../connection/connect.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import type { Named } from "../grammar/noun.ts";
import type { Context } from "../connection/context.ts";

interface UploadOptions extends ServerOptions {
  readonly name?: string;
  readonly contentType?: string;
  readonly useCase: string;
}

/** Uploads a file. Throws `CommandError`. */
export async function uploadFile(
  context: Context,
  place: string,
  options: UploadOptions,
): Promise<void> {
  if (!(await stat(place)).isFile()) throw new CommandError(`${place}: is not a file`);
  const fileName = options.name ?? path.basename(place);
  const contentType = options.contentType ?? announcedType(mime.getType(fileName) ?? "");
  const content = await openAsBlob(place, { type: contentType });
  const counted = Promise.withResolvers<Progress>();
  const { io, parley } = await connect(context, options, countForms(counted.promise));
  const progress = startProgress(io, { label: "uploading", total: content.size, unit: "bytes" });
  counted.resolve(progress);
  const { useCase } = options;
  const upload = parley.files.upload({ content, fileName, contentType, useCase });
  const answer = await callServer(upload).finally(progress.stop);
  if (options.json) return printLine(io, JSON.stringify(answer));
  printLine(io, `created: file ${oneLine(answer.file.fileName)} (${answer.file.sId})`);
}

/** Sends forms as streams, whose bytes are counted when they leave. */
function countForms(progress: Promise<Progress>): typeof fetch {
  return async (input, init) => {
    if (!(init?.body instanceof FormData)) return fetch(input, init);
    const { advance } = await progress;
    const { body, headers } = new Request(input, init);
    const count = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        advance(chunk.byteLength);
        controller.enqueue(chunk);
      },
    });
    const counted = body?.pipeThrough(count) ?? null;
    // The types of fetch do not know what a body that is a stream needs.
    return fetch(input, { ...init, headers, body: counted, duplex: "half" } as RequestInit);
  };
}

interface DownloadOptions extends ServerOptions {
  readonly output?: string;
}

type Find = (connection: ServerConnection, reference: string) => Promise<Named>;

/** Writes the bytes of a file to standard output, or to a file that is not there yet. */
export async function downloadFile(
  context: Context,
  { find, reference }: { readonly find: Find; readonly reference: string },
  options: DownloadOptions,
): Promise<void> {
  const { io } = context;
  const { output } = options;
  if (output === undefined && io.isTerminal.stdout) {
    throw new CommandError("The file may be binary. Name a file for it with --output");
  }
  const connection = await connect(context, options);
  const found = await find(connection, reference);
  const response = await callServer(connection.parley.files.get({ fileId: found.id }));
  const bytes = Readable.from(response.body ?? []);
  if (output === undefined) {
    await callServer(pipeline(bytes, io.stdout));
    return;
  }
  const place = await placeOf(output, found);
  const total = Number(response.headers.get("content-length") ?? 0);
  await save(io, bytes, { place, total });
  if (options.json) printLine(io, JSON.stringify({ fileId: found.id, path: place }));
  else reportLine(io, `written: ${place}`);
}

/** The path to write: in a folder, the file's own name, which is not a path. */
async function placeOf(output: string, { name, id }: Named): Promise<string> {
  const kind = await stat(output).catch(() => undefined);
  return kind?.isDirectory() ? path.join(output, path.basename(name) || id) : output;
}

/** Writes a new file, whole or not at all. */
async function save(
  io: Io,
  bytes: Readable,
  { place, total }: { readonly place: string; readonly total: number },
): Promise<void> {
  const file = createWriteStream(place, { flags: "wx", mode: 0o600 });
  const progress = startProgress(io, { label: "downloading", total, unit: "bytes" });
  const count = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      progress.advance(chunk.length);
      done(null, chunk);
    },
  });
  try {
    await pipeline(bytes, count, file);
  } catch (error) {
    // A file that was there before is not ours to remove.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") await rm(place, { force: true });
    throw error;
  } finally {
    progress.stop();
  }
}
