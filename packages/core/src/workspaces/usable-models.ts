import { workspaces } from "@parley/db";
import { type ModelPair, ParleyError } from "@parley/schema";
import { eq } from "drizzle-orm";
import type { Process } from "../context.ts";
import { requireModel } from "./models.ts";

/** Those of these models that a workspace has enabled, and may use in its region; none of a deleted one. */
export async function findUsableModels<Pair extends ModelPair>(
  { database }: Pick<Process, "database">,
  workspaceId: number,
  pairs: readonly Pair[],
): Promise<Pair[]> {
  const [workspace] = await database.db
    .select()
    .from(workspaces)
    .where(eq(workspaces.id, workspaceId));
  if (workspace === undefined) return [];
  return pairs.filter((pair) => {
    try {
      requireModel(workspace, pair);
      return true;
    } catch (error) {
      if (error instanceof ParleyError) return false;
      throw error;
    }
  });
}

/** Whether a workspace has enabled a model, and may use it in its region. */
export async function mayUseModel(
  core: Pick<Process, "database">,
  workspaceId: number,
  pair: ModelPair,
): Promise<boolean> {
  return (await findUsableModels(core, workspaceId, [pair])).length > 0;
}
