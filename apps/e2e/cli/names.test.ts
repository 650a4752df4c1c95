import { describe, expect, it } from "vitest";
import { toolServer } from "../administration/call-members.ts";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { openUser, settingsOf } from "./user.ts";
import { openFolder } from "./workspace-folder.ts";

interface Listed {
  readonly sId: string;
  readonly name: string;
}

describe("names on the command line", () => {
  const server = shareServer();
  const apart = createCalls(server);
  const calls = () => ({ rpc: apart.rpc(), wId: server().demo.workspaceId });
  const open = async (key = server().demo.adminKey) => {
    const { run } = await openUser();
    const settings = { ...settingsOf(server()), PARLEY_API_KEY: key };
    const succeed = async (args: readonly string[]) => {
      const { code, stdout, stderr } = await run(args, "", settings);
      expect([code, args], stderr).toEqual([0, args]);
      return stdout;
    };
    const fail = async (args: readonly string[]) => {
      const { code, stdout, stderr } = await run(args, "", settings);
      expect([code === 0, stdout, args]).toEqual([false, "", args]);
      return { said: stderr };
    };
    const read = async (args: readonly string[]) =>
      JSON.parse(await succeed([...args, "--json"])) as Record<string, unknown>;
    return { succeed, fail, read };
  };

  it("options that take ids take unique names too, and say which there are", async () => {
    const { succeed, fail, read } = await open();
    const { wId, rpc } = calls();
    for (const name of ["Named", "Twin", "Twin"]) {
      await rpc.skills.create.mutate({ wId, name, agentFacingDescription: "x" });
    }
    await succeed(["functions", "create", "named"]);
    const { space } = await rpc.spaces.create.mutate({ wId, name: "Shelf", isRestricted: true });
    const [everybodys] = (await rpc.spaces.list.query({ wId, kinds: ["global"] })).spaces;
    const { tool } = await rpc.tools.create.mutate({
      wId,
      spaceId: everybodys?.sId ?? "",
      name: "shop",
      description: "",
      serverType: "remote",
      server: toolServer,
    });
    const model = ["--description", "", "--model", "simulated/simulated-1"];
    const named = ["--tool-id", "shop", "--skill-id", "Named", "--function-id", "named"];
    await succeed(["agents", "create", "Namer", ...model, ...named]);
    const { skills } = (await read(["skills", "list"])) as { skills: readonly Listed[] };
    const [skill] = skills.filter(({ name }) => name === "Named");
    const twins = skills.filter(({ name }) => name === "Twin").map(({ sId }) => sId);
    const agent = await read(["agents", "get", "Namer"]);
    expect(agent).toMatchObject({ toolIds: [tool.sId], skillIds: [skill?.sId] });
    expect(agent["functionIds"]).toEqual([expect.stringMatching(/^sfn_/)]);
    const update = ["agents", "update", "Namer"];
    const twice = ["--skill-id", twins[0] ?? "", "--skill-id", twins[0] ?? ""];
    await succeed([...update, ...twice, "--tool-id", ""]);
    expect(await read(["agents", "get", "Namer"])).toMatchObject({
      toolIds: [],
      skillIds: [twins[0]],
    });
    const twin = await fail([...update, "--skill-id", "Twin"]);
    expect(twin.said).toContain('2 skills are named "Twin"; use an id: ');
    for (const id of twins) expect(twin.said).toContain(id);
    expect((await fail([...update, "--tool-id", "shp"])).said).toBe(
      'parley: No tool named "shp". Available: calculator, shop; see parley tools list\n',
    );
    for (let index = 0; index < 12; index++) {
      await rpc.spaces.create.mutate({ wId, name: `Space ${index}`, isRestricted: true });
    }
    const many = await fail(["keys", "create", "lost", "--role", "user", "--space-id", "Shelve"]);
    expect(many.said).toMatch(
      /No space named "Shelve"\. Available: (?:[^,]+, ){9}[^,]+ and \d+ more; see parley spaces list\n$/,
    );
    await succeed(["keys", "create", "shelf", "--role", "user", "--space-id", "Shelf"]);
    expect(await read(["keys", "get", "shelf"])).toMatchObject({
      apiKey: { spaceIds: [space.sId] },
    });
    await succeed(["spaces", "create", "Drawer", "--is-restricted", "--key-id", "shelf"]);
    const drawer = (await read(["spaces", "get", "Drawer"])) as { keyIds: readonly string[] };
    expect(drawer.keyIds).toHaveLength(1);
    await succeed(["members", "create", "eve@example.com", "--first-name", "Eve"]);
    const editor = [
      "--editor-id",
      "eve@example.com",
      "--space-id",
      everybodys?.name ?? "",
      "--tool-id",
      "shop",
    ];
    await succeed(["skills", "update", "Named", ...editor]);
    expect(await read(["skills", "get", "Named"])).toMatchObject({
      editorIds: [expect.any(String)],
      skill: { manuallyRequestedSpaceIds: [everybodys?.sId] },
    });
  });

  it("imported skills are in the list, and are named by their ids for builders too", async () => {
    const { succeed, read } = await open();
    const { rpc, wId } = calls();
    const folder = await openFolder({
      "packing/SKILL.md": "---\nname: packing\ndescription: How to pack\n---\nFold.\n",
    });
    const report = (await read(["skills", "import", folder])) as {
      imported: readonly Listed[];
    };
    const [skill] = report.imported;
    expect(await succeed(["skills", "list"])).toMatch(/ packing +suggested +editors /);
    expect(await succeed(["skills", "list", "--status", "active"])).not.toContain("packing");
    const { secret } = await rpc.apiKeys.create.mutate({ wId, name: "b", role: "builder" });
    const builder = await open(secret);
    await builder.succeed(["skills", "approve", skill?.sId ?? ""]);
    await builder.succeed([
      "skills",
      "publish",
      skill?.sId ?? "",
      "--availability",
      "workspace_users",
    ]);
    const user = await open(server().demo.userKey);
    expect(await user.succeed(["skills", "list"])).toMatch(/ packing +active +workspace_users /);
  });

  it("models are listed, enabled beside the others and disabled, by admins", async () => {
    const { succeed, fail, read } = await open();
    const { wId } = calls();
    const rows = await succeed(["models", "list"]);
    expect(rows).toMatch(/^openai\/gpt-5 +no +none +us, eu +\d+ +text, image, pdf$/m);
    expect(rows).toMatch(/^simulated\/simulated-1 +yes +not needed /m);
    const costly = ["--description", "", "--model", "openai/gpt-5"];
    const refused = await fail(["agents", "create", "Costly", ...costly]);
    expect(refused.said).toContain("or with parley models enable openai/gpt-5");
    expect(await succeed(["models", "enable", "openai/gpt-5"])).toBe(
      "enabled: model openai/gpt-5\n",
    );
    await succeed(["agents", "create", "Costly", ...costly]);
    await succeed(["models", "enable", "grok-4"]);
    await succeed(["models", "enable", "openai_compatible/llama3.3"]);
    const enabled = async () =>
      ((await read(["workspaces", "get", wId])) as { models: { modelId: string }[] }).models.map(
        ({ modelId }) => modelId,
      );
    expect(await enabled()).toEqual(
      expect.arrayContaining(["simulated-1", "gpt-5", "grok-4", "llama3.3"]),
    );
    for (const model of ["gpt-5", "xai/grok-4", "llama3.3"]) {
      await succeed(["models", "disable", model]);
    }
    expect(await enabled()).not.toEqual(expect.arrayContaining(["gpt-5"]));
    expect((await fail(["models", "disable", "gpt-5"])).said).toMatch(
      /No enabled model named "gpt-5"\. Available: simulated-1, .*; see parley models list\n$/,
    );
    expect((await fail(["models", "enable", "gpt-0"])).said).toContain('No model named "gpt-0"');
    expect(await succeed(["audit", "list", "--action", "workspaces.update"])).toMatch(
      / workspaces\.update +succeeded /,
    );
    const user = await open(server().demo.userKey);
    for (const args of [
      ["models", "list"],
      ["models", "disable", "openai/gpt-5"],
      ["models", "enable", "openai_compatible/llama3.3"],
    ]) {
      expect((await user.fail(args)).said).toContain("(choose another key with ");
    }
  });
});
