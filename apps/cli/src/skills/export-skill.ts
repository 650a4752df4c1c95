import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { CommandError } from "@parley/command/command-error";
import { printLine } from "@parley/command/print";
import { SkillStatus } from "@parley/schema";
import { callServer } from "../connection/call-server.ts";
import { connect } from "../connection/connect.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { findSkill } from "../grammar/nouns.ts";
import { readZip } from "./read-zip.ts";
import type { Context } from "../connection/context.ts";

/** Writes a skill as a folder, or as an archive. Throws `CommandError` if there is something of that name. */
export async function exportSkill(
  context: Context,
  { reference, into }: { readonly reference: string; readonly into: string },
  options: ServerOptions & { readonly zip?: true },
): Promise<void> {
  const connection = await connect(context, options);
  const { id } = await findSkill(...SkillStatus.options)(connection, reference);
  const response = await callServer(connection.parley.skills.export({ skillId: id }));
  const bytes = Buffer.from(await response.arrayBuffer());
  const files = await readZip(bytes);
  // The name of the one folder, which the server gives.
  const name = files[0]?.path.split("/")[0] ?? "";
  if (!/^[a-z0-9-]+$/.test(name) || files.some((file) => !file.path.startsWith(`${name}/`))) {
    throw new CommandError("The server's archive does not contain exactly one skill");
  }
  await mkdir(into, { recursive: true });
  const target = path.join(into, options.zip ? `${name}.zip` : name);
  const refuse = (error: NodeJS.ErrnoException): never => {
    if (error.code !== "EEXIST") throw error;
    throw new CommandError(`${target}: already exists; remove it or choose another folder`);
  };
  if (options.zip) await writeFile(target, bytes, { flag: "wx" }).catch(refuse);
  else {
    await mkdir(target).catch(refuse);
    for (const file of files) {
      const place = path.join(into, file.path);
      await mkdir(path.dirname(place), { recursive: true });
      const mode = file.isExecutable ? 0o755 : 0o644;
      await writeFile(place, file.content, { flag: "wx", mode });
    }
  }
  const about = { skillId: id, path: target, files: files.map((file) => file.path) };
  printLine(
    context.io,
    options.json ? JSON.stringify(about) : `exported: ${target}, ${files.length} files`,
  );
}
