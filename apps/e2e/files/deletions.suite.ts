import { createRpcClient } from "parley-client";
import type { Conversation, CreatedConversation } from "@parley/schema";
import { expect, test } from "vitest";
import { expectError, pathsOf, send } from "../request.ts";
import type { Server } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { createFileCalls } from "./calls.ts";

/** The fragment of a file that a conversation begins with. */
function fileIn({ content }: Conversation | CreatedConversation["conversation"]) {
  const first = content[0]?.[0];
  if (first?.type !== "content_fragment" || first.contentFragmentType !== "file") {
    throw new Error("The conversation does not begin with a file");
  }
  return first;
}

/** The tests of files that are deleted, and of what uses them. */
export function deletionsSuite(server: () => Server): void {
  const { path, upload, announce, read, post, target, formOf } = createFileCalls(server);
  const calls = createCalls(server);
  const remove = (fileId: string, key = server().demo.userKey) =>
    send(server(), { method: "DELETE", path: `${path()}/${fileId}`, key });

  test("a deleted file is gone, and its bytes can be announced again", async () => {
    const file = await upload("hello");
    const answer = await remove(file.sId);
    expect([answer.status, answer.text]).toEqual([204, ""]);
    const gone = await read(file.sId);
    expect([gone.status, await gone.json()]).toMatchObject([
      404,
      { error: { type: "file_not_found" } },
    ]);
    expectError(await remove(file.sId), "file_not_found");
    const quota = 30 * 2 ** 20;
    for (let round = 0; round < 3; round++) {
      const large = await announce({ fileSize: quota / 2, fileName: "large.txt" });
      expect((await remove(large.sId)).status).toBe(204);
    }
  });

  test("a fragment that uses a deleted file stays, and its text is not found", async () => {
    const file = await upload("What the agents read.");
    const { conversation } = await calls.create("Hi", [], {
      contentFragments: [{ title: "notes", fileId: file.sId }],
    });
    expect((await remove(file.sId)).status).toBe(204);
    const fragment = fileIn(await calls.get(conversation.sId));
    expect(fragment).toEqual(conversation.content[0]?.[0]);
    const { pathname } = new URL(fragment.textUrl);
    expectError(await send(server(), { path: pathname }), "file_not_found");
    const json = { title: "again", fileId: file.sId };
    const added = await calls.call("POST", `/${conversation.sId}/content_fragments`, { json });
    expectError(added, "file_not_found", { status: 400 });
  });

  test("the file of an inline text is deleted like others", async () => {
    const { conversation } = await calls.create("Hi", [], {
      contentFragments: [{ title: "inline", content: "text", contentType: "text/plain" }],
    });
    const { fileId } = fileIn(conversation);
    const key = server().demo.adminKey;
    expect((await remove(fileId ?? "", key)).status).toBe(204);
    expectError(await remove(fileId ?? "", key), "file_not_found");
  });

  test("a file that a skill has stays", async () => {
    const file = await upload("For a skill");
    const rpc = createRpcClient({ url: server().url, apiKey: server().demo.adminKey });
    const { workspaceId } = server().demo;
    const { skill, version } = await rpc.skills.create.mutate({
      wId: workspaceId,
      name: "keeps a file",
      agentFacingDescription: "Has a file",
      fileIds: [file.sId],
    });
    expectError(await remove(file.sId, server().demo.adminKey), "invalid_request_error", {
      field: "fileId",
    });
    await rpc.skills.update.mutate({ wId: workspaceId, skillId: skill.sId, version, fileIds: [] });
    expect((await remove(file.sId)).status).toBe(204);
  });

  test("an announced file is deleted before and while its bytes come", async () => {
    const announced = await announce();
    expect((await remove(announced.sId)).status).toBe(204);
    const late = await post(target(announced), formOf("hello", announced));
    expectError(late, "file_not_found");
  });

  test("another workspace's file is an unknown one", async () => {
    const file = await upload("Mine");
    const { workspace, adminKey } = await calls.operator().workspaces.create.mutate({ name: "O" });
    const foreign = pathsOf({ demo: { ...server().demo, workspaceId: workspace.sId } }).workspace;
    const asked = { method: "DELETE", path: `${foreign}/files/${file.sId}`, key: adminKey };
    expectError(await send(server(), asked), "file_not_found");
    expectError(await remove(file.sId, adminKey), "workspace_auth_error");
    expect((await read(file.sId)).status).toBe(200);
  });
}
