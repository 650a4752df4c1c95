export const source = {
  "index.ts":
    'import { sum } from "./lib/sum.ts";\n\nexport default ({ a, b }) => ({ sum: sum(a, b) });\n',
  "lib/sum.ts": "export const sum = (a: number, b: number): number => a + b;\n",
};

/** The file of an agent that has one of all there is. */
export const clerk = `name: Clerk
description: Answers about orders
model: { providerId: simulated, modelId: simulated-1, temperature: 0.2, reasoningEffort: light }
maxStepsPerRun: 4
asksUser: true
compaction: { enabled: true, startsAtPercent: 30 }
knowledge: { everything: true, folders: [{ dataSourceId: dts_1, folderId: shops }] }
responseFormat:
  type: json_schema
  schema: { type: object, required: [order], properties: { order: { type: string } } }
tags: [{ name: orders, kind: team }, { name: shop }]
skills: [refunds]
functions: [add-up]
tools: [orders]
script:
  steps:
    - text: "You said: {{message}}"
`;

/** The files of a workspace that uses a shop. */
export const folderOf = (shopUrl: string): Record<string, string | Uint8Array> => ({
  "parley.yaml":
    "workspace:\n  region: eu\n  models:\n    - providerId: simulated\n      modelId: simulated-1\n",
  "tools/orders.yaml": `url: ${shopUrl}\nheaders:\n  X-Shop-Key: "{{secrets.SHOP_KEY}}"\nstakes: { find: never_ask }\nretryableTools: [find]\ntimeoutMs: 5000\n`,
  "skills/refunds/SKILL.md":
    "---\nname: refunds\ndescription: How to refund an order\n---\n\n# Refunds\n\nAsk why.\n",
  "skills/refunds/references/limits.md": "At most 50.\n",
  "skills/refunds/picture.bin": new Uint8Array([0, 1, 255, 13, 10]),
  "skills/refunds.yaml": "availability: workspace_users\ntools: [orders]\nicon: BookIcon\n",
  "functions/add-up/function.json": JSON.stringify({
    slug: "add-up",
    description: "Adds",
    secrets: [{ name: "API_TOKEN" }],
  }),
  "functions/add-up/index.ts": source["index.ts"],
  "functions/add-up/lib/sum.ts": source["lib/sum.ts"],
  "functions/add-up/sum.test.ts": "not pushed\n",
  "functions/echo/function.json": JSON.stringify({
    slug: "echo",
    program: { type: "simulated", behaviour: { result: "$" } },
  }),
  "agents/clerk.yaml": clerk,
  "agents/clerk.md": "Be brief.\n\n- and kind\n",
  "agents/Helper.yaml": "model:\n  providerId: simulated\n  modelId: simulated-1\n",
  "README.md": "# Ours\n",
});
