import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../server.ts";
import { filesImportedBy, type Source, sources } from "./packages.ts";
import { packagesWithRooms, type Rooms } from "./rooms.ts";

// The index of a package alone may import all of its rooms.

/** The room of a file of the package in `folder`; what lies outside `src` is none. */
function roomOf(file: string, folder: string): string {
  const inside = path.relative(`${folder}/src`, file);
  return path.dirname(inside) === "." ? inside : path.dirname(inside);
}

function isOf({ file }: Source, folder: string): boolean {
  return (
    file.startsWith(`${folder}/src/`) &&
    !/\.(?:test|conformance)\.tsx?$/.test(file) &&
    roomOf(file, folder) !== "index.ts"
  );
}

/** The imports that a file may not have, as `file -> imported`. */
function findForbidden(source: Source, { folder, rooms }: { folder: string; rooms: Rooms }) {
  const room = roomOf(source.file, folder);
  const allowed = new Set([room, ...(rooms[room] ?? [])]);
  return filesImportedBy(source)
    .filter((file) => /\.tsx?$/.test(file) && !allowed.has(roomOf(file, folder)))
    .map((file) => `${source.file} -> ${file}`);
}

/** Whether the README of the package itself says what a room is for, in a line of its own. */
function isListed(folder: string, room: string): boolean {
  const file = path.join(root, folder, "README.md");
  return existsSync(file) && readFileSync(file, "utf8").includes(`\nsrc/${room} `);
}

describe.each(Object.entries(packagesWithRooms))("%s", (folder, rooms) => {
  const own = sources.filter((source) => isOf(source, folder));

  it("has the rooms that are named here", () => {
    const found = new Set(own.map(({ file }) => roomOf(file, folder)));
    expect([...found].toSorted()).toEqual(Object.keys(rooms).toSorted());
  });

  it("lets each room import rooms that stand before it only", () => {
    const names = Object.keys(rooms);
    for (const [position, name] of names.entries()) {
      const later = rooms[name]?.filter((imported) => names.indexOf(imported) >= position);
      expect(later, name).toEqual([]);
    }
  });

  it("imports in one direction, types included", () => {
    expect(own.flatMap((source) => findForbidden(source, { folder, rooms }))).toEqual([]);
  });

  it("says in each folder what it is for", () => {
    const folders = Object.keys(rooms).filter((room) => !/\.tsx?$/.test(room));
    const isSilent = (room: string) =>
      !existsSync(path.join(root, folder, "src", room, "README.md")) && !isListed(folder, room);
    expect(folders.filter(isSilent)).toEqual([]);
  });
});

describe("an import of a room above", () => {
  it.for([
    ["core/src/log", "../turns/load-turns.ts", "packages/core/src/turns/load-turns.ts"],
    ["core/src/log", "../context.ts", "packages/core/src/context.ts"],
    ["core/src/log", "../../testing/testing.ts", "packages/core/testing/testing.ts"],
    ["schema/src/parsing", "../endpoints.ts", "packages/schema/src/endpoints.ts"],
    ["console/src/ui", "../app/layout.tsx", "apps/console/src/app/layout.tsx"],
  ] as const)("of %s to %s is found", ([room, from, imported]) => {
    const [parent] = imported.split("/");
    const file = `${parent}/${room}/planted.ts`;
    const folder = file.split("/").slice(0, 2).join("/");
    const rooms = packagesWithRooms[folder]!;
    for (const text of [
      `import type { Planted } from "${from}";\n`,
      `export * from "${from}";\n`,
      `const planted = await import("${from}");\n`,
    ]) {
      expect(findForbidden({ file, text }, { folder, rooms })).toEqual([`${file} -> ${imported}`]);
    }
  });
});
