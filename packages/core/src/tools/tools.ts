import { type Queryable, spaces, tools, users } from "@parley/db";
import type { Tool } from "@parley/schema";
import { and, eq, inArray } from "drizzle-orm";
import { pictureUrl, type PublicUrl } from "../workspaces/pictures.ts";

/** The workspace's tools with these numbers as the wire shows them, by number. */
export async function readTools(
  core: PublicUrl,
  db: Queryable,
  { workspaceId, ids }: { workspaceId: number; ids: readonly number[] },
): Promise<Map<number, Tool>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({ tool: tools, spaceId: spaces.sid, editor: users })
    .from(tools)
    .innerJoin(spaces, eq(spaces.id, tools.spaceId))
    .leftJoin(users, eq(users.id, tools.editedBy))
    .where(and(eq(tools.workspaceId, workspaceId), inArray(tools.id, [...ids])));
  return new Map(
    rows.map(({ tool, spaceId, editor }) => [
      tool.id,
      {
        id: tool.id,
        sId: tool.sid,
        name: tool.name,
        description: tool.description,
        createdAt: tool.createdAt,
        updatedAt: tool.updatedAt,
        spaceId,
        serverType: tool.serverType,
        server: {
          ...tool.server,
          documentationUrl: tool.server.documentationUrl || `${core.publicUrl}/docs`,
        },
        oAuthUseCase: tool.oAuthUseCase,
        editedByUser: {
          editedAt: tool.updatedAt,
          fullName: editor?.fullName ?? "Operator",
          imageUrl: pictureUrl(core, editor?.image ?? "", "user"),
        },
        isRestrictedToSkills: tool.isRestrictedToSkills,
      },
    ]),
  );
}
