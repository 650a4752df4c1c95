import { createHash, randomBytes } from "node:crypto";
import { type ErrorType, FileAnswer } from "@parley/schema";
import { expect, test } from "vitest";
import { type Answer, expectError, jsonOf, send } from "../request.ts";
import type { Server } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { createFileCalls } from "./calls.ts";

const CHUNK = 256 * 1024;

/** The tests of files that are as they should be. */
export function roundTripsSuite(server: () => Server): void {
  const { path, announced, announce, target, post, formOf, upload, read } = createFileCalls(server);
  const answerOf = async (response: Response): Promise<Answer> => {
    const { status, headers } = response;
    return { status, headers, text: await response.text() };
  };
  const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

  test("a file is announced, uploaded and read", async () => {
    const json = announced({ fileName: "résumé.txt", contentType: "text/plain; charset=utf-8" });
    const key = server().demo.userKey;
    const { parsed, raw } = jsonOf(await send(server(), { path: path(), json, key }), FileAnswer);
    const { file } = parsed;
    expect(raw).toEqual({ file });
    expect(file).toMatchObject({ ...json, status: "created", id: file.sId });
    expect(file.sId).toMatch(/^fil_[A-Za-z0-9]{10}$/);
    expect(file.uploadUrl.startsWith(`${server().url}${path()}/${file.sId}?expires=`)).toBe(true);
    expect((await read(file.sId)).status).toBe(404);

    const uploaded = jsonOf(await post(target(file), formOf("héll", file)), FileAnswer);
    expect(uploaded.raw).toEqual({ file: { ...file, status: "ready" } });
    const response = await read(file.sId);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("héll");
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "content-length": "5",
      "content-disposition": `inline; filename="r?sum?.txt"; filename*=UTF-8''r%C3%A9sum%C3%A9.txt`,
      "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
      "cache-control": "private, no-cache",
      "accept-ranges": "bytes",
      etag: `"${createHash("sha256").update("héll").digest("hex")}"`,
    });
  });

  test.for([1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 17])(
    "%i bytes come back as they were, whole and in ranges",
    async (size) => {
      const bytes = randomBytes(size);
      const { sId } = await upload(bytes, { contentType: "application/octet-stream" });
      expect((await bytesOf(await read(sId))).equals(bytes)).toBe(true);
      const edges = [0, CHUNK - 1, CHUNK, CHUNK + 1, size - 1].filter((at) => at < size);
      for (const start of edges) {
        const end = Math.min(size, start + CHUNK + 2);
        const part = await read(sId, { headers: { range: `bytes=${start}-${end - 1}` } });
        expect(part.status).toBe(206);
        expect(part.headers.get("content-range")).toBe(`bytes ${start}-${end - 1}/${size}`);
        expect((await bytesOf(part)).equals(bytes.subarray(start, end))).toBe(true);
      }
    },
  );

  test("a file is sent again only when it is another one", async () => {
    const { sId } = await upload("0123456789");
    const etag = (await read(sId)).headers.get("etag") ?? "";
    for (const known of [etag, `W/${etag}`, "*", `"x", ${etag}`]) {
      const response = await read(sId, { headers: { "if-none-match": known } });
      expect([response.status, await response.text()]).toEqual([304, ""]);
      expect(response.headers.get("etag")).toBe(etag);
    }
    expect((await read(sId, { headers: { "if-none-match": '"x"' } })).status).toBe(200);
    const range = "bytes=2-3";
    const same = await read(sId, { headers: { range, "if-range": etag } });
    expect([same.status, await same.text()]).toEqual([206, "23"]);
    for (const other of ['"x"', `W/${etag}`, "Mon, 01 Jan 2035 00:00:00 GMT"]) {
      const whole = await read(sId, { headers: { range, "if-range": other } });
      expect([whole.status, await whole.text()]).toEqual([200, "0123456789"]);
    }
  });

  test("HEAD tells of a file what GET does, without its bytes", async () => {
    const { sId } = await upload("0123456789");
    const head = await read(sId, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const changing = ["date", "x-request-id", "connection", "keep-alive"];
    const stable = ({ headers }: Response) =>
      Object.fromEntries([...headers].filter(([name]) => !changing.includes(name)));
    expect(stable(head)).toEqual(stable(await read(sId)));
    const ranged = await read(sId, { method: "HEAD", headers: { range: "bytes=1-2" } });
    expect([ranged.status, ranged.headers.get("content-length")]).toEqual([200, "10"]);
    expect((await read("fil_unknown", { method: "HEAD" })).status).toBe(404);
  });

  test("a range after the end is refused, and what is not a single range is ignored", async () => {
    const { sId } = await upload("0123456789");
    const behind = await read(sId, { headers: { range: "bytes=10-" } });
    expect(behind.headers.get("content-range")).toBe("bytes */10");
    expect(behind.headers.get("content-disposition")).toBeNull();
    expectError(await answerOf(behind), "invalid_request_error", { status: 416 });
    for (const range of ["bytes=0-1,3-4", "bytes=5-2", "lines=1-2", "nonsense"]) {
      const whole = await read(sId, { headers: { range } });
      expect([whole.status, await whole.text()]).toEqual([200, "0123456789"]);
    }
  });

  test.for([
    { contentType: "text/html", type: "attachment", content: "<b>" },
    { contentType: "image/svg+xml", type: "attachment", content: "<b>" },
    { contentType: "application/pdf", type: "attachment", content: "%PDF-<b>" },
    { contentType: "TEXT/HTML; charset=utf-8", type: "attachment", content: "<b>" },
    { contentType: "image/png", type: "inline", content: "\x89PNG\r\n\x1a\n<b>" },
  ])("a browser takes $contentType as $type", async ({ contentType, type, content }) => {
    const bytes = Buffer.from(content, "latin1");
    const { sId } = await upload(bytes, { contentType, fileName: 'a "b"; c.html' });
    const { headers } = await read(sId);
    expect(headers.get("content-disposition")).toBe(`${type}; filename="a \\"b\\"; c.html"`);
    expect(headers.get("content-type")).toBe(contentType);
  });

  test("content of another type than announced is refused, by its name, and can be sent again", async () => {
    const png = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
    const contentType = "application/pdf";
    const file = await announce({ contentType, fileName: "report.pdf", fileSize: png.length });
    const message =
      "Invalid request body: file: report.pdf is announced as application/pdf, but is a PNG image: announce it with its own type";
    const answer = await post(target(file), formOf(png, file));
    expectError(answer, "file_type_not_supported", { message, field: "file" });
    expect((await read(file.sId)).status).toBe(404);
    const pdf = Buffer.from("%PDF-1.7");
    expect((await post(target(file), formOf(pdf, file))).status).toBe(200);
  });

  test("the signature of an address is not logged, nor the file's name", async () => {
    const file = await upload("secret", { fileName: "diary.txt" });
    const signature = new URL(file.uploadUrl).searchParams.get("signature") ?? "";
    await post(target(file), formOf("secret", file));
    await read(file.sId);
    const { stderr } = server().output;
    expect(stderr).toContain("Upload the bytes of an announced file");
    expect(stderr).toContain("Read the bytes of a file");
    for (const secret of [signature, "diary", server().demo.userKey]) {
      expect(stderr).not.toContain(secret);
    }
  });

  test("a file is for its workspace, and needs a key that may use it", async () => {
    const file = await upload("hello");
    const waiting = await announce();
    const { rpc, operator } = createCalls(server);
    const { workspaceId } = server().demo;
    const idle = await rpc().apiKeys.create.mutate({
      wId: workspaceId,
      name: "idle",
      role: "none",
    });
    const foreign = await operator().workspaces.create.mutate({ name: "Foreign" });
    const refused: [string | null, number, ErrorType][] = [
      [null, 401, "not_authenticated"],
      ["sk-nobody", 401, "invalid_api_key_error"],
      [foreign.adminKey, 401, "workspace_auth_error"],
      [server().demo.operatorKey, 401, "workspace_auth_error"],
      [idle.secret, 403, "app_auth_error"],
    ];
    for (const [key, status, type] of refused) {
      expectError(await answerOf(await read(file.sId, { key })), type, { status });
      expectError(await post(target(waiting), formOf("hello", waiting), key), type, { status });
    }
    expect((await read(waiting.sId)).status).toBe(404);
    expect((await post(target(waiting), formOf("hello", waiting))).status).toBe(200);
  });
}
