import type { Entry } from "../entry.ts";
import type { World } from "../world.ts";

async function withTool({ rpc, wId, shopUrl: url }: World): Promise<void> {
  const { spaces } = await rpc.spaces.list.query({ wId, kinds: ["global"] });
  const spaceId = spaces[0]?.sId ?? "";
  await rpc.tools.register.mutate({ wId, spaceId, name: "shop", description: "Sells shoes", url });
}

/** Commands about tools. */
export const toolEntries: readonly Entry[] = [
  { command: "tools list", prepare: withTool },
  { command: "tools get", prepare: withTool, args: ["shop"] },
  {
    command: "tools create",
    prepare: async ({ shopUrl }) => ({ shopUrl }),
    args: ({ shopUrl = "" }) => [shopUrl, "--name", "shop"],
  },
  { command: "tools refresh", prepare: withTool, args: ["shop"] },
  { command: "tools update", prepare: withTool, args: ["shop", "--default-stake", "low"] },
  { command: "tools remove", prepare: withTool, args: ["shop"], confirmed: "shop" },
];
