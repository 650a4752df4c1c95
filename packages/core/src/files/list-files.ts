import { files } from "@parley/db";
import type { FilePage, ListFiles } from "@parley/schema";
import { and, desc, eq, lt } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import { takePage } from "../data-access/pages.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";
import { reachesUploaded } from "./files.ts";

/** Lists the uploads that the caller reaches, the newest first, a page at a time. */
export async function listFiles(context: RequestContext, input: ListFiles): Promise<FilePage> {
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, input.wId);
  const { lastValue } = input;
  const rows = await db
    .select({
      number: files.id,
      id: files.sid,
      sId: files.sid,
      contentType: files.contentType,
      fileName: files.fileName,
      fileSize: files.sizeBytes,
      status: files.status,
      useCase: files.useCase,
      createdAt: files.createdAt,
    })
    .from(files)
    .where(
      and(
        eq(files.workspaceId, workspace.id),
        reachesUploaded(context.caller),
        lastValue === undefined ? undefined : lt(files.id, Number(lastValue)),
      ),
    )
    .orderBy(desc(files.id))
    .limit(input.limit + 1);
  const { page, end } = takePage(rows, input, ({ number }) => number);
  return { files: page.map(({ number: _number, ...file }) => file), ...end };
}
