import { CreatedConversation, FileAnswer } from "@parley/schema";
import { expect, test } from "vitest";
import { expectError, jsonOf, pathsOf, send } from "../request.ts";
import type { Server } from "../server.ts";
import { type Announcement, createFileCalls } from "./calls.ts";

interface Refused {
  readonly name: string;
  readonly change: Record<string, unknown>;
  readonly field: string;
}

const refused: Refused[] = [
  ...[
    "../x",
    "a/b",
    "a\\b",
    "..",
    ".",
    "",
    "a\r\nX: y",
    "a\u0000b",
    "a\u007f",
    "x".repeat(256),
  ].map((fileName) => ({
    name: `the name ${JSON.stringify(fileName)}`,
    change: { fileName },
    field: "fileName",
  })),
  ...[
    "",
    "text",
    "text/",
    "/plain",
    "text/plain\r\nX: y",
    'text/plain; x="\n"',
    "text/plain; charset=é",
    "text/plain,text/html",
  ].map((contentType) => ({
    name: `the type ${JSON.stringify(contentType)}`,
    change: { contentType },
    field: "contentType",
  })),
  ...[0, -1, 1.5, "5", null, 2 ** 53].map((fileSize) => ({
    name: `the size ${JSON.stringify(fileSize)}`,
    change: { fileSize },
    field: "fileSize",
  })),
  ...["", "x".repeat(256), 7, undefined].map((useCase) => ({
    name: `the use case ${JSON.stringify(useCase)?.slice(0, 20)}`,
    change: { useCase },
    field: "useCase",
  })),
];

/** The tests of what is announced, and of fragments that name files. */
export function announcementsSuite(server: () => Server): void {
  const { path, announced, announce, target, post, formOf, upload, read } = createFileCalls(server);

  test.for(refused)("$name is refused, and the field named", async ({ change, field }) => {
    const answer = await send(server(), { path: path(), json: { ...announced({}), ...change } });
    const message = `Invalid request body: ${field}: `;
    expectError(answer, "invalid_request_error", { message, field });
  });

  test("a type that is not accepted, and a size beyond its type's, are refused by errors of their own", async () => {
    const refuse = async (change: Partial<Announcement>) =>
      send(server(), { path: path(), json: announced(change) });
    const type = "application/x-msdownload";
    expectError(await refuse({ contentType: type }), "file_type_not_supported", {
      message: "Invalid request body: contentType: must be one of application/pdf, ",
      field: "contentType",
    });
    for (const contentType of ["image/png", "text/plain", "application/octet-stream"]) {
      const large = await refuse({ contentType, fileSize: 20 * 2 ** 20 + 1 });
      const message = `Invalid request body: fileSize: must be at most 20971520 bytes for files of type ${contentType}`;
      expectError(large, "file_too_large", { message, field: "fileSize" });
    }
  });

  test.for(["conversation", "avatar", "upsert_table", "something of tomorrow"])(
    "the use case %s is taken, and given back",
    async (useCase) => {
      const json = { ...announced({}), useCase, useCaseMetadata: { conversationId: "x" } };
      const answer = await send(server(), { path: path(), json });
      expect(JSON.parse(answer.text)).toMatchObject({ file: { useCase } });
    },
  );

  test("a file is announced once for an Idempotency-Key, and a replay shows its current state", async () => {
    const headers = { "idempotency-key": "announced once" };
    const ask = () => send(server(), { path: path(), json: announced({}), headers });
    const first = jsonOf(await ask(), FileAnswer).parsed.file;
    jsonOf(await post(target(first), formOf("hello", first)), FileAnswer);
    const again = await ask();
    expect(jsonOf(again, FileAnswer).parsed.file).toEqual({ ...first, status: "ready" });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const other = { path: path(), json: announced({ fileSize: 6 }), headers };
    expectError(await send(server(), other), "idempotency_key_mismatch");
  });

  test("names that are only unusual are stored as they are", async () => {
    for (const fileName of [
      "...",
      ".env",
      "a b",
      "日本語.txt",
      "👪.png",
      "%2e%2e%2f",
      "x".repeat(255),
    ]) {
      const { sId, fileName: kept } = await upload("x", { fileName });
      expect(kept).toBe(fileName);
      const { headers } = await read(sId);
      expect(headers.get("content-disposition")).toMatch(/^inline; filename/);
    }
  });

  test("what is announced beyond the quota is refused", async () => {
    const operator = { path: "/rpc/workspaces.create", key: server().demo.operatorKey };
    const made = await send(server(), { ...operator, json: { json: { name: "Small" } } });
    const { result } = JSON.parse(made.text) as {
      result: { data: { json: { workspace: { sId: string }; adminKey: string } } };
    };
    const { workspace, adminKey: key } = result.data.json;
    const fileSize = 20 * 2 ** 20;
    const request = {
      path: `/api/v1/w/${workspace.sId}/files`,
      key,
      json: announced({ fileSize }),
    };
    const both = await Promise.all([send(server(), request), send(server(), request)]);
    const [first, second] = both.toSorted((one, other) => one.status - other.status);
    expect(first?.status).toBe(200);
    expectError(second!, "budget_exceeded", { status: 429 });
    expect(second!.text).toMatch(
      /The workspace stores 2097\d{4} of at most 31457280 bytes, and this needs 20971520 more/,
    );
  });

  test("ids of other things than files are unknown", async () => {
    for (const fileId of [
      "fil_unknown",
      "x",
      "..%2f..%2fetc%2fpasswd",
      "a%0d%0ab",
      "%F0%9F%91%AA",
    ]) {
      const answer = await send(server(), { path: `${path()}/${fileId}` });
      expectError(answer, "file_not_found", { message: "The workspace has no such file" });
    }
    const malformed = await send(server(), { path: `${path()}/a%00b` });
    expectError(malformed, "invalid_request_error", { message: "Invalid path parameters: " });
    const wrong = await send(server(), { method: "PATCH", path: `${path()}/fil_unknown` });
    expectError(wrong, "method_not_supported_error");
    expect(wrong.headers.get("allow")).toBe("POST, GET, DELETE");
  });

  test("a conversation is made with a file and a text, and both can be read", async () => {
    const { sId } = await upload("<h1>Ada</h1>", { contentType: "text/html", fileName: "a.html" });
    const contentFragments = [
      { title: "page", fileId: sId },
      { title: "inline", content: "Remember the milk €", contentType: "text/markdown" },
    ];
    const json = { message: { content: "Hello", mentions: [] }, contentFragments };
    const answer = await send(server(), { path: pathsOf(server()).conversations, json });
    const { conversation } = jsonOf(answer, CreatedConversation).parsed;
    const texts: string[] = [];
    for (const [fragment] of conversation.content) {
      if (fragment?.type !== "content_fragment") continue;
      if (fragment.contentFragmentType !== "file") throw new Error("Not a file");
      const response = await fetch(fragment.textUrl, {
        headers: { authorization: `Bearer ${server().demo.adminKey}` },
      });
      expect(response.headers.get("content-length")).toBe(String(fragment.textBytes));
      texts.push(`${response.headers.get("content-type")}: ${await response.text()}`);
    }
    expect(texts).toEqual([
      "text/html: <h1>Ada</h1>",
      "text/markdown; charset=utf-8: Remember the milk €",
    ]);
    const cId = conversation.sId;
    await send(server(), { method: "DELETE", path: `${pathsOf(server()).conversations}/${cId}` });
    expect((await read(sId)).status).toBe(200);
  });

  test("a file that is not there yet is unknown to a create", async () => {
    const { sId } = await announce();
    for (const fileId of [sId, "fil_unknown"]) {
      const message = { content: "Hello", mentions: [] };
      const json = { message, contentFragments: [{ title: "t", fileId }] };
      const answer = await send(server(), { path: pathsOf(server()).conversations, json });
      expectError(answer, "file_not_found", { status: 400, message: "contentFragments[0].fileId" });
    }
  });
}
