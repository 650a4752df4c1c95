import { openMemoryIo } from "@parley/command/testing";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { renderTable } from "./table.ts";

const { io: pipe } = openMemoryIo();
const terminal = (columns: number) => openMemoryIo({ columns, environment: { NO_COLOR: "1" } }).io;

describe("a table", () => {
  const headings = ["ID", "NAME", "DESCRIPTION"];
  const long = "What is said at length about an agent that answers questions about orders";

  it("is whole in a pipe", () => {
    expect(renderTable(pipe, headings, [["a", "Clerk", long]])).toEqual([
      "ID  NAME   DESCRIPTION",
      `a   Clerk  ${long}`,
    ]);
  });

  it("cuts the widest columns until its lines fit a terminal", () => {
    const lines = renderTable(terminal(40), headings, [["agent-1", "Clerk", long]]);
    expect(lines.every((line) => stringWidth(line) <= 40)).toBe(true);
    expect(lines[1]).toMatch(/^agent-1 {2}Clerk {2}What is said .*…$/);
  });

  it("counts wide characters, and keeps what others wrote in its line", () => {
    const rows = [
      ["1", "会話の記録", "x"],
      ["2", "a\u001b[2Jb\nc", "y"],
    ];
    expect(renderTable(pipe, headings, rows)).toEqual([
      "ID  NAME        DESCRIPTION",
      "1   会話の記録  x",
      "2   a [2Jb c    y",
    ]);
  });

  it("leaves out columns that would be cut to nothing, and keeps the first", () => {
    expect(renderTable(terminal(20), headings, [["agent-1", long, long]])).toEqual([
      "ID       NAME",
      "agent-1  What is sa…",
    ]);
    expect(renderTable(terminal(10), headings, [["agent-1", long, long]])).toEqual([
      "ID",
      "agent-1",
    ]);
    expect(renderTable(terminal(4), headings, [["agent-1", long, long]])[1]).toBe("age…");
  });
});
