import { endpoints, parseInput } from "@parley/schema";
import { unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { exportSkill } from "./export-skill.ts";
import { importSkills } from "./import-skills.ts";
import { updateSkill } from "./skill-administration.ts";

const hostile = [
  "# Kept: a comment before all",
  "license:   'Apache-2.0'   # odd spaces",
  "name:  pdf",
  "description: >-",
  "  Reads PDFs,",
  "  folded over lines.",
  "",
  "compatibility: needs poppler",
  "metadata: {author: \"ada\",   version: '1.0'}",
  "allowed-tools:",
  "    - Bash(pdftotext:*)   # indented by four",
  "# The end",
];
const body = ["", "", "# Read", "", "Hard break:  ", "\tA tab", "", "Last line"];

/** A SKILL.md in every form that an editor of text may give it. */
const forms = {
  "as it is": `---\n${hostile.join("\n")}\n---\n${body.join("\n")}\n`,
  "with CRLF": `---\r\n${hostile.join("\r\n")}\r\n---\r\n${body.join("\r\n")}\r\n`,
  "with a byte order mark": `\uFEFF---\n${hostile.join("\n")}\n---\n${body.join("\n")}\n`,
  "without a line end": `---  \n${hostile.join("\n")}\n---\t\n${body.join("\n")}`,
  "with many line ends": `---\n${hostile.join("\n")}\n---\n${body.join("\n")}\n\n  \n`,
  "with mixed line ends": `---\r\n${hostile.join("\n")}\n---\n${body.join("\r\n")}\nLast\n`,
  "without a body": `---\n${hostile.join("\n")}\n---`,
};

describe("the SKILL.md of a skill", () => {
  const test = workspaceTest({ role: "builder" });

  const upload = async (text: string) => {
    const input = parseInput(endpoints["skills.import"], {
      wId: test.workspaceId,
    });
    const files = [
      { path: "pdf/SKILL.md", bytes: Buffer.from(text) },
      { path: "pdf/run.sh", bytes: Buffer.from("#!/bin/sh\r\n"), isExecutable: true },
      { path: "pdf/data.txt", bytes: Buffer.from("x") },
    ];
    return (await importSkills(test.context, input, files)).imported[0]!.sId;
  };
  const exported = async (skillId: string) => {
    const file = await exportSkill(test.context, { skillId });
    const zip = Buffer.concat(await Array.fromAsync(file.read(0, file.sizeBytes)));
    const [first] = Object.entries(unzipSync(zip));
    if (first === undefined) throw new Error("The archive is empty");
    const [path, bytes] = first;
    return { path, text: Buffer.from(bytes).toString("utf8"), zip };
  };
  const edit = (skillId: string, version: number, change: object) => {
    const raw = { wId: test.workspaceId, skillId, version, ...change };
    return updateSkill(test.context, parseInput(endpoints["skills.update"], raw));
  };

  it.each(Object.entries(forms))("is given back byte for byte: %s", async (_form, text) => {
    const skillId = await upload(text);
    expect((await exported(skillId)).text).toBe(text);
  });

  it.each(Object.entries(forms))("changes only where it was edited: %s", async (_form, text) => {
    const skillId = await upload(text);
    const { skill } = await edit(skillId, 0, { agentFacingDescription: 'Of "all": #1' });
    const eol = text.startsWith("---\r\n") && text.includes(`>-\r\n`) ? "\r\n" : "\n";
    const before = ["description: >-", "  Reads PDFs,", "  folded over lines."].join(eol);
    expect(text).toContain(before);
    const described = text.replace(before, `description: 'Of "all": #1'`);
    expect((await exported(skillId)).text).toBe(described);
    // Written back, it is what it was but for the folding.
    await edit(skillId, 1, { agentFacingDescription: "Reads PDFs, folded over lines." });
    expect((await exported(skillId)).text).toBe(text);
    if (!text.includes("A tab")) return;
    // A text field of a browser has one kind of line ends.
    const shown = (skill.instructions ?? "").replaceAll("\r\n", "\n");
    await edit(skillId, 2, { instructions: shown });
    expect((await exported(skillId)).text).toBe(text);
    await edit(skillId, 3, { instructions: shown.replace("A tab", "One tab") });
    expect((await exported(skillId)).text).toBe(text.replace("A tab", "One tab"));
  });

  it("keeps the rest when it is renamed, and when its instructions grow or go", async () => {
    const text = forms["with CRLF"];
    const skillId = await upload(text);
    await edit(skillId, 0, { name: "PDF reader" });
    const renamed = text.replace("name:  pdf", "name:  pdf-reader");
    expect(await exported(skillId)).toMatchObject({ path: "pdf-reader/SKILL.md", text: renamed });
    const longer = `${body.slice(2).join("\n")}\nOne more`;
    await edit(skillId, 1, { instructions: longer });
    expect((await exported(skillId)).text).toBe(
      renamed.replace("Last line\r\n", "Last line\r\nOne more\r\n"),
    );
    await edit(skillId, 2, { instructions: "" });
    const [front = ""] = /^[^]*?\r\n---\r\n/.exec(renamed) ?? [];
    expect((await exported(skillId)).text).toBe(`${front}\r\n`);
  });

  it("changes flow mappings and indented ones, and texts of several lines", async () => {
    const several = "One: two\n\n- three #4\n\u2028";
    for (const front of [
      '{name: pdf, description: "a, b", license: MIT}',
      "  name: pdf\n  description: a, b\n  license: MIT",
      "name: pdf\ndescription: |\n  a, b\nlicense: MIT",
      'name: pdf\n"description": a,\n  b\nlicense: MIT',
    ]) {
      const skillId = await upload(`---\n${front}\n---\nDo it.`);
      await edit(skillId, 0, { agentFacingDescription: several });
      const { text } = await exported(skillId);
      expect(text).toContain("MIT");
      expect(text.endsWith("\n---\nDo it.")).toBe(true);
      const again = await importSkills(
        test.context,
        parseInput(endpoints["skills.import"], {
          wId: test.workspaceId,
          onConflict: "override",
        }),
        [{ path: "pdf/SKILL.md", bytes: Buffer.from(text) }],
      );
      expect(again.updated).toHaveLength(1);
      const change = await edit(skillId, 2, {});
      expect(change.skill.agentFacingDescription).toBe(several.trim());
      await edit(skillId, 3, { name: "other" });
    }
  });

  it("has the modes of its files, and of a skill without an original is rendered", async () => {
    const skillId = await upload(forms["as it is"]);
    const modes = ({ zip }: { zip: Buffer }) => {
      const found: Record<string, string> = {};
      for (
        let at = zip.indexOf("PK\u0001\u0002");
        at !== -1;
        at = zip.indexOf("PK\u0001\u0002", at + 4)
      ) {
        const name = zip.toString("utf8", at + 46, at + 46 + zip.readUInt16LE(at + 28));
        found[name] = (zip.readUInt32LE(at + 38) >>> 16).toString(8);
      }
      return found;
    };
    expect(modes(await exported(skillId))).toEqual({
      "pdf/SKILL.md": "100644",
      "pdf/run.sh": "100755",
      "pdf/data.txt": "100644",
    });
    await test.core.database.db.execute("delete from skill_originals");
    expect((await exported(skillId)).text).toMatch(/^---\nname: pdf\ndescription: Reads PDFs, /);
  });
});
