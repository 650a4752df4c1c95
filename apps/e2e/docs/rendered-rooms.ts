import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { packagesWithRooms, type Rooms } from "../architecture/rooms.ts";
import { root } from "../server.ts";

/** The rooms of every package that has rooms, for the page about the architecture. */
export function renderRooms(): string {
  return Object.entries(packagesWithRooms)
    .map(([folder, rooms]) => {
      const rows = Object.keys(rooms).map(
        (room) =>
          `| ${nameOf(folder, room)} | ${purposeOf(folder, room)} | ${above(rooms, room)} |`,
      );
      return [
        `### ${folder}`,
        "",
        "| Room | What it is for | Next above |",
        "| --- | --- | --- |",
        ...rows,
      ].join("\n");
    })
    .join("\n\n");
}

function nameOf(folder: string, room: string): string {
  const file = `${folder}/src/${room}`;
  return `[${room}](../${file})`;
}

/** The first sentence of a folder's README or its line in the package's, or of what a file is named after. */
function purposeOf(folder: string, room: string): string {
  const read = (...parts: string[]): string => {
    const file = path.join(root, folder, ...parts);
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  };
  if (/\.tsx?$/.test(room)) {
    const name = path.parse(room).name.replaceAll("-", "").replace(/s$/, "");
    const text = read("src", room);
    const commentOf = (named: string) =>
      new RegExp(String.raw`/\*\*((?:(?!\*/)[^])*)\*/\nexport [^(={:<]*${named}`, "i").exec(
        text,
      )?.[1];
    const comment = commentOf(String.raw`\b${name}\b`) ?? commentOf(name) ?? "";
    return firstSentence(comment.replaceAll(/^\s*\*/gm, ""));
  }
  const line = read("README.md")
    .split("\n")
    .find((one) => one.startsWith(`src/${room} `));
  if (line !== undefined) return firstSentence(line.slice(`src/${room}`.length));
  return firstSentence(read("src", room, "README.md").replace(/^# .*\n/, ""));
}

function firstSentence(text: string): string {
  const words = text
    .trim()
    .split("\n\n")[0]!
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  // The table links each room: the file names of its README say nothing more.
  const line = words
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ \(`[^`]*`\)/g, "")
    .replaceAll("`", "");
  const sentence = (/^.*?[.:](?= |$)/.exec(line)?.[0] ?? line).replace(/[.:]$/, "");
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

/** What a room may import and none of these imports already. */
function above(rooms: Rooms, room: string): string {
  const direct = rooms[room] ?? [];
  const isBehind = (one: string): boolean =>
    direct.some((other) => other !== one && reachOf(rooms, other).has(one));
  return direct.filter((one) => !isBehind(one)).join(", ");
}

function reachOf(rooms: Rooms, room: string): Set<string> {
  return new Set((rooms[room] ?? []).flatMap((one) => [one, ...reachOf(rooms, one)]));
}
