import { createRpcClient } from "parley-client";
import { afterEach, expect, test } from "vitest";
import { pathsOf } from "../request.ts";
import { eventually, shareServer } from "../server.ts";
import { compose, connectTo, expectUntouched } from "./raw.ts";

const server = shareServer();
afterEach(() => expectUntouched(server()));

const skill = "---\nname: pdf\ndescription: Reads PDF files.\n---\nDo it.";
const beginning = [
  "--x",
  'Content-Disposition: form-data; name="files"; filename="pdf/SKILL.md"',
  "",
  "---",
].join("\r\n");

test("slow forms of one workspace leave places to the imports of another", async () => {
  const { url, demo } = server();
  const operator = createRpcClient({ url, apiKey: demo.operatorKey });
  const { workspace } = await operator.workspaces.create.mutate({ name: "Other" });
  const { secret } = await operator.apiKeys.create.mutate({
    wId: workspace.sId,
    name: "other",
    role: "builder",
  });
  await using slow = new AsyncDisposableStack();
  const refused: number[] = [];
  for (let count = 0; count < 4; count++) {
    const connection = await connectTo(server());
    slow.defer(() => connection[Symbol.dispose]());
    const headers = ["Content-Type: multipart/form-data; boundary=x", "Content-Length: 100000"];
    // It goes no further than this.
    const begun = { headers, body: beginning };
    connection.write(compose(server(), `POST ${pathsOf(server()).skills} HTTP/1.1`, begun));
    connection.answer().then(
      ({ status }) => refused.push(status),
      () => {},
    );
  }
  await eventually(async () => (refused.length >= 2 ? { value: true } : {}), 10_000);
  expect(refused).toEqual([429, 429]);
  const form = new FormData();
  form.append("files", new Blob([skill]), "pdf/SKILL.md");
  const imported = await fetch(`${url}/api/v1/w/${workspace.sId}/skills`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}` },
    body: form,
  });
  expect(`${imported.status} ${await imported.text()}`).toMatch(/^200 /);
});
