import { agents } from "@parley/db";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../faults/stored-state.ts";
import { shareServer } from "../server.ts";
import { openFolder, openWorkspace, writeFiles } from "./workspace-folder.ts";

// Instructions were plain text before they could name values: agents of then may have braces in theirs.

const server = shareServer();

test("instructions with braces from before are pulled and applied as the text that they are", async () => {
  const workspace = await openWorkspace(server(), "Old");
  const { wId, rpc } = workspace;
  const { agentConfiguration } = await rpc.agents.create.mutate({
    wId,
    name: "Old",
    description: "",
    instructions: "Be kind.",
    model: { providerId: "simulated", modelId: "simulated-1" },
  });
  const text = "Fill in {{name}} and {{user.name}}, never {{{{x}}.";
  const database = await openDatabase(server().place);
  onTestFinished(() => database.close());
  const { sId } = agentConfiguration;
  await database.db.execute(
    `update agents set instructions = '${text}', renders_instructions = false where sid = '${sId}'`,
  );
  const stored = async () => {
    const rows = await database.db.select().from(agents).orderBy(agents.version);
    const own = rows.filter(({ sid }) => sid === sId);
    return own.map(({ version, instructions, rendersInstructions }) => {
      return { version, instructions, rendersInstructions };
    });
  };
  const before = [{ version: 0, instructions: text, rendersInstructions: false }];

  const folder = await openFolder();
  await workspace.succeed(["pull", folder]);
  const file = path.join(folder, "agents/old.md");
  const pulled = await readFile(file, "utf8");
  expect(pulled.trim()).toBe("Fill in {{{{name}} and {{{{user.name}}, never {{{{{{{{x}}.");
  await workspace.succeed(["apply", folder, "--check"]);
  expect(await workspace.succeed(["apply", folder, "--yes"])).toContain("Nothing to change");
  expect(await stored()).toEqual(before);

  // Unescaped, they name values: those that there are, and no others.
  await writeFiles(folder, { "agents/old.md": `${text}\n` });
  expect(await workspace.fail(["apply", folder, "--yes"])).toContain('"name" is not the name');
  expect(await stored()).toEqual(before);
  await writeFiles(folder, { "agents/old.md": pulled.replace("{{{{user.name}}", "{{user.name}}") });
  await workspace.succeed(["apply", folder, "--yes"]);
  expect((await stored()).at(-1)).toEqual({
    version: 1,
    instructions: "Fill in {{{{name}} and {{user.name}}, never {{{{{{{{x}}.",
    rendersInstructions: true,
  });
  await workspace.succeed(["apply", folder, "--check"]);
});
