import { FileAnswer, InvokedSandboxFunction, PostedMessage, SkillList } from "@parley/schema";
import { jsonOf, pathsOf, type Request, send } from "../request.ts";
import type { Server } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import type { Operation } from "./contract.ts";

/** Values for the parameters of an operation, beside the workspace. */
export type Values = Readonly<Record<string, string>>;

/** Something of each kind that paths and queries name. */
export async function makeThings(server: () => Server): Promise<Values> {
  const calls = createCalls(server);
  const { conversation } = await calls.create("Hello!", ["helper"], { blocking: true });
  const other = (await calls.create("Hello!", ["helper"], { blocking: true })).conversation;
  const answer = other.content.flat().find(({ type }) => type === "agent_message");
  const posted = await calls.call("POST", `/${conversation.sId}/messages`, {
    json: { content: "Hello again!", mentions: [{ configurationId: "helper" }], blocking: true },
  });
  const { agentMessages } = jsonOf(posted, PostedMessage).parsed;
  const invoked = await send(server(), {
    path: pathsOf(server()).invocations("add"),
    json: { input: { a: 1, b: 2 } },
  });
  const { invocation } = jsonOf(invoked, InvokedSandboxFunction, 201).parsed;
  const announced = await send(server(), {
    path: `${pathsOf(server()).workspace}/files`,
    json: { contentType: "text/plain", fileName: "a.txt", fileSize: 16, useCase: "conversation" },
  });
  const { file } = jsonOf(announced, FileAnswer).parsed;
  const listed = await send(server(), { path: pathsOf(server()).skills });
  const [skill] = jsonOf(listed, SkillList).parsed.skills;
  const { searchParams } = new URL(file.uploadUrl);
  const { workspaceId: wId, spaceId } = server().demo;
  const view = { wId, spaceId, name: "Handbook" };
  const { dataSourceView } = await calls.rpc().dataSourceViews.create.mutate(view);
  return {
    spaceId,
    dsId: dataSourceView.dataSourceId,
    dsvId: dataSourceView.sId,
    wId,
    cId: conversation.sId,
    mId: agentMessages[0]?.sId ?? "",
    responseId: `resp_${other.sId}${answer?.sId}`,
    sId: "helper",
    functionId: "add",
    invocationId: invocation.sId,
    fileId: file.sId,
    skillId: skill?.sId ?? "",
    expires: searchParams.get("expires") ?? "",
    signature: searchParams.get("signature") ?? "",
  };
}

/** The documented request of an operation, about these things. */
export function exampleRequest(operation: Operation, values: Values): Request {
  const { method, parameters, requestBody } = operation;
  const query = new URLSearchParams();
  for (const { name, in: place, example } of parameters) {
    if (place === "query" && example !== undefined)
      query.set(name, values[name] ?? String(example));
  }
  const search = query.size === 0 ? "" : `?${query}`;
  const examples = parameters.flatMap(({ name, in: place, example }) =>
    place === "path" && example !== undefined ? [[name, String(example)] as const] : [],
  );
  const path = fillPath(operation, { ...Object.fromEntries(examples), ...values }) + search;
  const json = requestBody?.content["application/json"]?.example;
  if (json !== undefined) return { method, path, json };
  if (requestBody?.content["multipart/form-data"] === undefined) return { method, path };
  return { method, path, ...formOf(operation.operationId) };
}

/** The path of an operation with these values in it. */
export function fillPath({ path }: Pick<Operation, "path">, values: Values): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? name),
  );
}

const skill = "---\nname: greeting\ndescription: How to greet\n---\nSay hello.\n";

function formOf(operationId: string): Pick<Request, "headers" | "body"> {
  const [field, name, content] =
    operationId === "skills.import"
      ? ["files", "greeting/SKILL.md", skill]
      : ["file", "a.txt", "We open at nine."];
  const part = `Content-Disposition: form-data; name="${field}"; filename="${name}"`;
  const body = `--x\r\n${part}\r\nContent-Type: text/plain\r\n\r\n${content}\r\n--x--\r\n`;
  return { headers: { "content-type": "multipart/form-data; boundary=x" }, body };
}
