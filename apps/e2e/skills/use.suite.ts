import { endpoints, type InputOf } from "@parley/schema";
import { expect, it } from "vitest";
import { pathsOf, send } from "../request.ts";
import type { Server } from "../server.ts";

/** Agents that use skills, from the import of one to the answer that its instructions are in. */
export function useSuite(server: () => Server): void {
  const rpc = async (name: keyof typeof endpoints, input: unknown) => {
    const answer = await send(server(), { path: `/rpc/${name}`, json: { json: input } });
    return { status: answer.status, body: JSON.parse(answer.text) as RpcAnswer };
  };
  interface RpcAnswer {
    readonly result?: { data: { json: { agentConfiguration: { sId: string } } } };
    readonly error?: { json: { data: { type: string } } };
  }
  const draft = (parts: object): InputOf<(typeof endpoints)["agents.create"]> => ({
    wId: server().demo.workspaceId,
    name: "Reader",
    description: "",
    model: { providerId: "simulated", modelId: "simulated-1" },
    script: {
      steps: [
        { text: "Let me see. ", toolCalls: [{ name: "skills__load", params: { name: "useful" } }] },
        { text: "It says: {{result}}" },
      ],
    },
    ...parts,
  });

  it("lets an agent load the instructions of a skill that it was given", async () => {
    const form = new FormData();
    const document = "---\nname: useful\ndescription: Is useful\n---\nFirst *breathe*.";
    form.append("files", new Blob([document]), "useful/SKILL.md");
    form.append("status", "active");
    const headers = { authorization: `Bearer ${server().demo.adminKey}` };
    const { skills, conversations } = pathsOf(server());
    const imported = await fetch(server().url + skills, { method: "POST", headers, body: form });
    const report = (await imported.json()) as { imported: { sId: string }[] };
    const skillIds = report.imported.map(({ sId }) => sId);

    const { body } = await rpc("agents.create", draft({ skillIds }));
    const agentId = body.result!.data.json.agentConfiguration.sId;
    const mentions = [{ configurationId: agentId }];
    const json = { message: { content: "Hi", mentions }, blocking: true };
    const created = await send(server(), { path: conversations, json });
    const { conversation } = JSON.parse(created.text) as {
      conversation: { sId: string; content: { sId: string }[][] };
    };
    const [answer] = conversation.content[1]!;
    expect(answer).toMatchObject({
      status: "succeeded",
      content: "Let me see. It says: First *breathe*.",
      actions: [
        {
          functionCallName: "skills__load",
          status: "succeeded",
          params: { name: "useful" },
          output: [{ type: "text", text: "First *breathe*." }],
        },
      ],
    });
    const events = `${conversations}/${conversation.sId}/messages/${answer!.sId}/events`;
    const stream = await send(server(), { path: events.replace("/api/", "/api/sse/") });
    const types = [...stream.text.matchAll(/"data":\{"type":"(\w+)"/g)].map(([, type]) => type);
    expect(types.filter((type) => type !== "generation_tokens")).toEqual([
      "tool_params",
      "agent_action_success",
      "agent_message_success",
    ]);
  });

  it("lets an agent list and read the files of a skill that it was given", async () => {
    const form = new FormData();
    const document = "---\nname: filed\ndescription: Has files\n---\nRead references/report.md.";
    form.append("files", new Blob([document]), "filed/SKILL.md");
    form.append("files", new Blob(["Three lines at most."]), "filed/references/report.md");
    form.append("files", new Blob([new Uint8Array([137, 80, 0])]), "filed/assets/dot.png");
    form.append("files", new Blob(["x".repeat(300_000)]), "filed/long.txt");
    form.append("status", "active");
    const headers = { authorization: `Bearer ${server().demo.adminKey}` };
    const { skills, conversations } = pathsOf(server());
    const imported = await fetch(server().url + skills, { method: "POST", headers, body: form });
    const report = (await imported.json()) as { imported: { sId: string }[] };
    const read = (file?: string) => ({
      name: "skills__read_file",
      params: { name: "filed", file },
    });
    const toolCalls = [
      { name: "skills__load", params: { name: "filed" } },
      read("references/report.md"),
      read("assets/dot.png"),
      read("long.txt"),
      read("../../etc/passwd"),
      read(),
      { name: "skills__read_file", params: { name: "other", file: "long.txt" } },
    ];
    const skillIds = report.imported.map(({ sId }) => sId);
    const script = { steps: [{ toolCalls }, { text: "Done" }] };
    const { body } = await rpc("agents.create", draft({ skillIds, script }));
    const mentions = [{ configurationId: body.result!.data.json.agentConfiguration.sId }];
    const json = { message: { content: "Hi", mentions }, blocking: true };
    const created = await send(server(), { path: conversations, json });
    const { conversation } = JSON.parse(created.text) as {
      conversation: {
        content: { actions: { status: string; output: { text: string }[] }[] }[][];
      };
    };
    const given = conversation.content[1]![0]!.actions.map(({ status, output }) => {
      return `${status}: ${output[0]!.text}`;
    });
    const files =
      "- assets/dot.png (application/octet-stream, 3 bytes)\n" +
      "- long.txt (text/plain, 300000 bytes)\n" +
      "- references/report.md (text/markdown, 20 bytes)";
    expect(given[0]).toBe(
      "succeeded: Read references/report.md.\n\n" +
        `Files of the skill, which skills__read_file reads:\n${files}`,
    );
    expect(given[1]).toBe("succeeded: Three lines at most.");
    expect(given[2]).toBe(
      "errored: Only text can be read, and this is not: " +
        "- assets/dot.png (application/octet-stream, 3 bytes)",
    );
    expect(given[3]).toMatch(/^succeeded: x{131072}\n\[The file continues.*of 300000\]$/);
    const unknown = `errored: The skill has no such file. Its files:\n${files}`;
    expect(given.slice(4, 6)).toEqual([unknown, unknown]);
    expect(given[6]).toMatch(/^errored: No such skill. Skills: /);
  });

  it("refuses an agent whose skills are not there", async () => {
    const { status, body } = await rpc("agents.create", draft({ skillIds: ["skl_nothing"] }));
    expect(status).toBe(404);
    expect(body.error?.json.data.type).toBe("skill_not_found");
  });
}
