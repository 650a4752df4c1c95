import { type Queryable, skillAttachments, skills, skillTools, tools } from "@parley/db";
import { type Core } from "@parley/core";
import { SkillAvailability, SkillStatus, type ToolServer } from "@parley/schema";

const server: Omit<ToolServer, "sId"> = {
  name: "calculator",
  version: "1.0.0",
  description: "Computes with numbers",
  icon: "ActionCalculatorIcon",
  authorization: {
    provider: "none",
    supported_use_cases: ["platform_actions"],
    scope: "",
  },
  tools: [
    {
      name: "add",
      description: "Adds two numbers",
      inputSchema: {
        type: "object",
        properties: { a: { type: "number" }, b: { type: "number" } },
        required: ["a", "b"],
      },
    },
  ],
  availability: "manual",
  allowMultipleInstances: false,
  documentationUrl: "",
};

interface Owner {
  readonly workspaceId: number;
  readonly spaceId: number;
  readonly userId: number;
}

/** Writes a skill for each pair of status and availability; the published ones have a tool. */
export async function insertDemoSkills(core: Core, db: Queryable, owner: Owner): Promise<void> {
  const { workspaceId, spaceId, userId } = owner;
  const createdAt = core.now();
  const times = { createdAt, updatedAt: createdAt };
  const [tool] = await db
    .insert(tools)
    .values({
      sid: core.newId("msv"),
      workspaceId,
      spaceId,
      name: server.name,
      description: server.description,
      serverType: "internal",
      server: { sId: core.newId("mcp"), ...server },
      oAuthUseCase: "platform_actions",
      isRestrictedToSkills: false,
      editedBy: userId,
      ...times,
    })
    .returning();
  for (const status of SkillStatus.options) {
    for (const availability of SkillAvailability.options) {
      const name = `${status}-${availability.replaceAll("_", "-")}`;
      const [skill] = await db
        .insert(skills)
        .values({
          sid: core.newId("skl"),
          workspaceId,
          name,
          status,
          availability,
          agentFacingDescription: `Use this to see a skill that is ${status}, for ${availability}`,
          userFacingDescription: `A demo skill that is ${status}`,
          icon: "BookIcon",
          source: "api",
          reinforcement: "off",
          instructions: `# ${name}\n\nAdd numbers with the calculator.`,
          instructionsHtml: `<h1>${name}</h1><p>Add numbers with the calculator.</p>`,
          editedBy: userId,
          ...times,
        })
        .returning();
      if (skill === undefined || tool === undefined) throw new Error("A skill was not written");
      if (availability === "editors") continue;
      await db.insert(skillTools).values({ skillId: skill.id, toolId: tool.id, position: 0 });
      await db.insert(skillAttachments).values({
        skillId: skill.id,
        position: 0,
        fileId: core.newId("fil"),
        fileName: "examples.md",
      });
    }
  }
}
