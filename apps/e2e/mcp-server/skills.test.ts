import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { createRpcClient } from "parley-client";
import { TokenScope } from "@parley/schema";
import { beforeAll, describe, expect, test } from "vitest";
import { pathsOf } from "../request.ts";
import { shareServer } from "../server.ts";
import { connect, revisions } from "./connect.ts";

// A workspace's skills as resources, and through the skills extension, whose client checks every file.

const server = shareServer();
const rpc = (apiKey = server().demo.adminKey) => createRpcClient({ url: server().url, apiKey });
const workspace = () => ({ wId: server().demo.workspaceId });

let plain: string;
let restricted: string;
beforeAll(async () => {
  const form = new FormData();
  form.append("status", "active");
  form.append("availability", "workspace_users");
  const manifest = "---\nname: tea\ndescription: 'Makes: tea'\n---\n\nBoil <b>water</b>.\n";
  form.append("files", new Blob([manifest]), "tea/SKILL.md");
  form.append("files", new Blob(["Green"]), "tea/references/kinds of tea.md");
  form.append("files", new Blob([new Uint8Array([0, 1, 255])]), "tea/leaf.bin");
  const { ok } = await fetch(server().url + pathsOf(server()).skills, {
    method: "POST",
    body: form,
    headers: { authorization: `Bearer ${server().demo.adminKey}` },
  });
  if (!ok) throw new Error("The skill was not imported");
  const { space } = await rpc().spaces.create.mutate({
    ...workspace(),
    name: "Restricted",
    isRestricted: true,
  });
  const create = async (name: string, more: object = {}) => {
    // Operators reach every space.
    const { skill } = await rpc(server().demo.operatorKey).skills.create.mutate({
      ...workspace(),
      name,
      agentFacingDescription: 'Does "things"',
      instructions: "Do them.",
      availability: "workspace_users",
      ...more,
    });
    return skill.sId;
  };
  plain = await create("1,000 Cafés");
  restricted = await create("secret", { spaceIds: [space.sId] });
  await create("unpublished", { availability: "editors" });
  for (let index = 0; index < 60; index++) await create(`many ${index}`);
});

describe.for(revisions)("in revision %s", (revision) => {
  test("the skills that a key reaches are listed and read, with their files", async () => {
    const client = await connect(server(), server().demo.userKey, revision);
    const skills = new SkillsClient(client);
    expect(skills.supported).toBe(true);
    const { skills: listed } = await skills.list();
    const names = listed.map(({ frontmatter }) => frontmatter.name);
    expect(names).toEqual(expect.arrayContaining(["1-000-cafes", "tea", "many-59"]));
    expect(names.filter((name) => ["secret", "unpublished"].includes(name))).toEqual([]);
    const tea = listed.find(({ frontmatter }) => frontmatter.name === "tea")!;
    expect(await skills.read(tea)).toMatchObject({
      verified: true,
      frontmatter: { name: "tea", description: "Makes: tea" },
      body: expect.stringContaining("Boil <b>water</b>."),
    });
    expect(await skills.read(tea, "references/kinds of tea.md")).toMatchObject({
      mimeType: "text/markdown",
      text: "Green",
    });
    const { bytes } = await skills.read(tea, "leaf.bin");
    expect([...bytes]).toEqual([0, 1, 255]);
    expect((await skills.get(tea.uri)).skill).toEqual(tea);
  });

  test("resources come in pages, and are read by their URI", async () => {
    const client = await connect(server(), server().demo.userKey, revision);
    const { resources, nextCursor = "" } = await client.request({ method: "resources/list" });
    const rest = await client.request({ method: "resources/list", params: { cursor: nextCursor } });
    const uris = [...resources, ...rest.resources].map(({ uri }) => uri);
    expect(rest.nextCursor).toBeUndefined();
    expect(new Set(uris).size).toBe(uris.length);
    // Each skill, and the two files of one.
    expect(uris.length).toBeGreaterThanOrEqual(64);
    const uri = `skill://${plain}/1-000-cafes/SKILL.md`;
    const { contents } = await client.readResource({ uri });
    const text = '---\nname: "1-000-cafes"\ndescription: "Does \\"things\\""\n---\n\nDo them.\n';
    expect(contents).toEqual([{ uri, mimeType: "text/markdown", text }]);
    expect(uris).toContain(uri);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(["skill://{+path}"]);
  });

  test("what is not reached is as unknown as what there is not", async () => {
    const client = await connect(server(), server().demo.userKey, revision);
    const paths = [`${restricted}/secret`, "skl_AAAAAAAAAA/secret", `${plain}/other`, "..%2f/x"];
    for (const path of paths) {
      const refused = await client
        .readResource({ uri: `skill://${path}/SKILL.md` })
        .catch((error: Error & { code: number }) => error);
      expect(refused).toMatchObject({
        code: -32602,
        message: expect.stringContaining("not found"),
      });
    }
  });
});

test("tokens without the scope see no skills", async () => {
  const scopes = TokenScope.options.filter((scope) => scope !== "skills:read");
  const { secret } = await rpc().userTokens.create.mutate({
    ...workspace(),
    externalId: "u-1",
    scopes,
  });
  const client = await connect(server(), secret);
  expect((await new SkillsClient(client).list()).skills).toEqual([]);
  expect((await client.listResources()).resources).toEqual([]);
  const uri = `skill://${plain}/1-000-cafes/SKILL.md`;
  await expect(client.readResource({ uri })).rejects.toThrow("not found");
});
