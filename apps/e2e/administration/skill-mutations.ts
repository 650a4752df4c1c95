import type { ToolServer } from "@parley/schema";
import type { Server } from "../server.ts";
import type { createCalls } from "../siblings/calls.ts";
import type { Doable } from "./doable.ts";

interface Named {
  readonly sId: string;
}

/** A server of tools that nothing calls. */
export const toolServer: ToolServer = {
  sId: "srv",
  name: "search",
  version: "1.0.0",
  description: "Searches",
  icon: "icon",
  authorization: { provider: "none", supported_use_cases: [], scope: "" },
  tools: [],
  availability: "manual",
  allowMultipleInstances: false,
  documentationUrl: "",
};

/** The mutations that change skills and tools, each with what it needs to be done. */
export function describeSkillMutations(
  server: () => Server,
  rpc: ReturnType<typeof createCalls>["rpc"],
): Record<string, () => Promise<Doable>> {
  const ofDemo = () => ({ wId: server().demo.workspaceId });
  const createSkill = async (status: "active" | "suggested") => {
    const skill = { ...ofDemo(), name: "x", agentFacingDescription: "x", status };
    return (await rpc().skills.create.mutate(skill)).skill.sId;
  };
  const newTool = () => ({
    ...ofDemo(),
    spaceId: server().demo.spaceId,
    name: "x",
    description: "x",
    serverType: "remote" as const,
    server: toolServer,
  });
  const createTool = async () => (await rpc().tools.create.mutate(newTool())).tool.sId;
  const onSkill =
    (status: "active" | "suggested", more: object = {}) =>
    async () => {
      const skillId = await createSkill(status);
      return { input: { ...ofDemo(), skillId, version: 0, ...more }, subject: skillId };
    };
  return {
    "skills.create": async () => ({
      input: { ...ofDemo(), name: "x", agentFacingDescription: "x" },
      subject: ({ skill }: { skill: Named }) => skill.sId,
    }),
    "skills.update": onSkill("active", { name: "y" }),
    "skills.approve": onSkill("suggested"),
    "skills.archive": onSkill("active"),
    "skills.restore": async () => {
      const skillId = await createSkill("active");
      await rpc().skills.archive.mutate({ ...ofDemo(), skillId, version: 0 });
      return { input: { ...ofDemo(), skillId, version: 1 }, subject: skillId };
    },
    "skills.publish": onSkill("active", { availability: "workspace_users" }),
    "tools.create": async () => ({
      input: newTool(),
      subject: ({ tool }: { tool: Named }) => tool.sId,
    }),
    "tools.update": async () => {
      const toolId = await createTool();
      return { input: { ...ofDemo(), toolId, version: 0, name: "y" }, subject: toolId };
    },
    "tools.remove": async () => {
      const toolId = await createTool();
      return { input: { ...ofDemo(), toolId, version: 0 }, subject: toolId };
    },
  };
}
