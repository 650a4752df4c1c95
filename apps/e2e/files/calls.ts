import { type File as FileInfo, FileAnswer } from "@parley/schema";
import { jsonOf, pathsOf, send, type Answer } from "../request.ts";
import type { Server } from "../server.ts";

/** What is announced of a file, for the tests to change. */
export interface Announcement {
  readonly contentType: string;
  readonly fileName: string;
  readonly fileSize: number;
  readonly useCase: string;
}

interface ReadOptions {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  /** The API key; the user's by default, null for none. */
  readonly key?: string | null;
}

/** The calls of the tests of files. */
export function createFileCalls(server: () => Server) {
  const path = () => `${pathsOf(server()).workspace}/files`;
  const announced = (announcement: Partial<Announcement>): Announcement => ({
    contentType: "text/plain",
    fileName: "notes.txt",
    fileSize: 5,
    useCase: "conversation",
    ...announcement,
  });
  const announce = async (
    announcement: Partial<Announcement> = {},
    key = server().demo.userKey,
  ): Promise<FileInfo> => {
    const answer = await send(server(), { path: path(), json: announced(announcement), key });
    return jsonOf(answer, FileAnswer).parsed.file;
  };
  /** Where an upload goes, below the address of the server. */
  const target = ({ uploadUrl }: Pick<FileInfo, "uploadUrl">): string =>
    uploadUrl.slice(new URL(uploadUrl).origin.length);
  /** Posts a form as `fetch` writes it. */
  const post = async (
    to: string,
    form: FormData,
    key: string | null = server().demo.userKey,
  ): Promise<Answer> => {
    const response = await fetch(server().url + to, {
      method: "POST",
      body: form,
      headers: key === null ? {} : { authorization: `Bearer ${key}` },
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const formOf = (bytes: Uint8Array | string, { contentType, fileName }: FileInfo): FormData => {
    const form = new FormData();
    form.append("file", new File([Buffer.from(bytes)], fileName, { type: contentType }));
    return form;
  };
  /** Announces and uploads a file. */
  const upload = async (
    bytes: Uint8Array | string,
    announcement: Partial<Announcement> = {},
    key = server().demo.userKey,
  ): Promise<FileInfo> => {
    const fileSize = Buffer.byteLength(bytes);
    const file = await announce({ fileSize, ...announcement }, key);
    return jsonOf(await post(target(file), formOf(bytes, file), key), FileAnswer).parsed.file;
  };
  /** Reads a file. */
  const read = async (
    fileId: string,
    { method = "GET", headers = {}, key = server().demo.userKey }: ReadOptions = {},
  ): Promise<Response> =>
    fetch(`${server().url}${path()}/${fileId}`, {
      method,
      headers: { ...(key !== null && { authorization: `Bearer ${key}` }), ...headers },
    });
  return { path, announced, announce, target, post, formOf, upload, read };
}
