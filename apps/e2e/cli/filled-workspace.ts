import { createParley } from "parley-client";
import type { OpenWorkspace } from "./workspace-folder.ts";

const model = { providerId: "simulated", modelId: "simulated-1" };

/** Names that are not names of files, or lead elsewhere, or are one name to some file systems. */
const names = [
  "../../../etc/passwd",
  "/etc/passwd",
  "..",
  "a/b",
  "a\\b",
  "CON",
  "clerk",
  "Clerk",
  "CLERK-2",
  "客服",
  "Überprüfung",
  "Uberprufung",
  ".hidden",
  "x".repeat(255),
  "new\nline",
  "\u001b[2Jclear",
];

/** Texts that a file could change. */
const texts = [
  "",
  "one line",
  "ends in lines\n\n",
  "\n  begins with them",
  "a\r\nb\rc",
  "\ufeffmark",
  "---\nname: x\n---\n",
  "tab\tand \u2028 and \u0085",
  "  indented\n    more\n  less",
  "# heading",
  "{{secrets.NO}}",
  "'quoted' \"twice\"",
  "trailing  \n  spaces  ",
  "null",
  "1.0",
];

/** Gives a workspace some of all that can be declared, as applications do, without files. */
export async function fillWorkspace(
  { wId, rpc, adminKey }: OpenWorkspace,
  { url, shopUrl }: { readonly url: string; readonly shopUrl: string },
) {
  const parley = createParley({ baseUrl: url, apiKey: adminKey, workspaceId: wId });
  await rpc.workspaces.update.mutate({ wId, region: "eu", regionalModelsOnly: true });
  const { space } = await rpc.spaces.create.mutate({ wId, name: "Support / EU" });
  const { spaces } = await rpc.spaces.list.query({ wId, kinds: ["global"] });
  const shared = spaces[0]?.sId ?? "";
  const orders = await rpc.tools.register.mutate({
    wId,
    spaceId: shared,
    url: shopUrl,
    name: "Orders & returns",
    headers: { "X-Shop-Key": "open-sesame" },
    stakes: { find: "never_ask" },
    maxConcurrent: 3,
  });
  const described = await rpc.tools.create.mutate({
    wId,
    spaceId: space.sId,
    name: "described",
    description: "In words",
    serverType: "remote",
    isRestrictedToSkills: true,
    server: {
      sId: "mcp_x",
      name: "x",
      version: "1",
      description: "",
      icon: "",
      availability: "auto",
      allowMultipleInstances: true,
      documentationUrl: "https://x.test/",
      tools: [{ name: "t", description: "", inputSchema: { type: "object" } }],
      authorization: { provider: "none", supported_use_cases: [], scope: "" },
    },
  });
  const file = (name: string, content: string | Uint8Array<ArrayBuffer>) => ({
    path: `refunds/${name}`,
    content,
  });
  const { imported } = await parley.skills.import({
    files: [
      file(
        "SKILL.md",
        "---\nname: refunds\ndescription: How to refund\nlicense: MIT\n---\n\n# Refunds\n",
      ),
      file("references/a.md", "a"),
      file("references/b/c.bin", new Uint8Array([0, 255, 10])),
      file("README.md", "read me"),
    ],
    status: "suggested",
    availability: "users_and_agents",
  });
  const refunds = imported[0]?.sId ?? "";
  await rpc.skills.update.mutate({
    wId,
    skillId: refunds,
    version: 0,
    icon: "BookIcon",
    userFacingDescription: "Refunds",
    toolIds: [orders.tool.sId, described.tool.sId],
    reinforcement: "off",
    spaceIds: [space.sId],
  });
  const named = await rpc.skills.create.mutate({
    wId,
    name: "Refunds (EU) / ../x",
    agentFacingDescription: 'For "Europe": all of it\nand more',
    instructions: "\n\n# Ask\r\nwhy\n",
  });
  const gone = await rpc.skills.create.mutate({ wId, name: "gone", agentFacingDescription: "x" });
  await rpc.skills.archive.mutate({ wId, skillId: gone.skill.sId, version: gone.version });
  const code = {
    type: "javascript" as const,
    allowedHosts: ["api.example.com"],
    secrets: [{ name: "API_TOKEN", readable: true }],
  };
  const index = 'import { one } from "./lib/one.ts";\nexport default () => one;\n';
  await rpc.sandboxFunctions.create.mutate({
    wId,
    slug: "modules",
    description: "Several",
    timeoutMs: 5000,
    retryable: true,
    inputSchema: { type: "object", properties: { z: {}, a: {} } },
    program: {
      ...code,
      source: { "index.ts": index, "lib/one.ts": "export const one = 1;\n" },
      cpuMs: 500,
    },
  });
  await rpc.sandboxFunctions.create.mutate({
    wId,
    slug: "strange-files",
    program: {
      ...code,
      source: {
        "index.ts": 'export { default } from "./README.ts";',
        "README.ts": "export default () => 1;",
        "a.test.ts": "",
        "function.json": "{}",
      },
    },
  });
  await rpc.sandboxFunctions.create.mutate({
    wId,
    slug: "single",
    program: { type: "javascript", source: "export default () => 1" },
  });
  await rpc.sandboxFunctions.create.mutate({ wId, slug: "con" });
  await rpc.sandboxFunctions.create.mutate({
    wId,
    slug: "simulated",
    outputSchema: { type: "number" },
    requiresApproval: true,
    program: {
      type: "simulated",
      behaviour: {
        durationMs: 5,
        steps: [{ at: 0.5, log: { stream: "stdout", text: "half" } }],
        result: "a + b",
      },
    },
  });
  for (const [index_, name] of names.entries()) {
    await rpc.agents.create.mutate({
      wId,
      name,
      description: texts[index_ % texts.length] ?? "",
      instructions: texts[(index_ + 3) % texts.length]?.replaceAll("{{", "{{{{"),
      model,
      ...(index_ % 3 === 0 && {
        scope: "hidden",
        maxStepsPerRun: 3,
        asksUser: true,
        compaction: { enabled: false, keepsMessages: 2 + index_ },
        knowledge: { everything: true, dataSourceIds: ["dts_1"], tags: [`t${index_}`] },
        responseFormat: {
          type: "json_schema",
          schema: { type: "object", properties: { [`p${index_}`]: { enum: ["b", "a", null] } } },
        },
        pictureUrl: "https://x.test/a.png",
        model: { ...model, temperature: 0.1, reasoningEffort: "none" },
        fallbackModels: [{ providerId: "noop", modelId: "noop" }],
        tags: [{ name: texts[index_ % texts.length]?.slice(0, 255) || "t", kind: "team" }],
        skillIds: [named.skill.sId, refunds],
        functionIds: ["single", "modules"],
        toolIds: [described.tool.sId, orders.tool.sId],
        script: {
          steps: [
            {
              text: texts[index_ % texts.length],
              toolCalls: [{ name: "find", params: { z: 1, a: [null, "\n"] } }],
            },
          ],
          tokenDelayMs: 2,
        },
      }),
    });
  }
  return { refunds };
}
