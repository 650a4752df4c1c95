import { expect, it } from "vitest";
import { placePackages } from "./place-packages.ts";

type Links = Readonly<Record<string, Readonly<Record<string, string>>>>;

const place = (links: Links) => {
  const places = placePackages(
    new Map(Object.entries(links).map(([from, to]) => [from, new Map(Object.entries(to))])),
  );
  return places && Object.fromEntries(places);
};

it.each<[what: string, links: Links, places: Record<string, string>]>([
  ["nothing", {}, {}],
  [
    "a package of a package at the top",
    { "": { a: "A" }, A: { "@s/b": "B" }, B: { a: "A" } },
    { "node_modules/a": "A", "node_modules/@s/b": "B" },
  ],
  [
    "a second version beside the package that imports it",
    { "": { a: "A", b: "B1" }, A: { b: "B2", c: "C" }, B2: { c: "C" }, C: { b: "B1" } },
    {
      "node_modules/a": "A",
      "node_modules/b": "B1",
      "node_modules/a/node_modules/b": "B2",
      "node_modules/c": "C",
    },
  ],
  [
    "a version that a nearer one hides",
    { "": { a: "A", b: "B1", c: "C1" }, A: { b: "B2", c: "C2" }, C2: { b: "B1" } },
    {
      "node_modules/a": "A",
      "node_modules/b": "B1",
      "node_modules/c": "C1",
      "node_modules/a/node_modules/b": "B2",
      "node_modules/a/node_modules/c": "C2",
      "node_modules/a/node_modules/c/node_modules/b": "B1",
    },
  ],
])("places %s", (_what, links, places) => expect(place(links)).toEqual(places));

it("ends at versions that need each other in a circle", () => {
  const links: Links = {
    "": { p: "P1", d: "D1" },
    P1: { d: "D2" },
    D2: { p: "P2" },
    P2: { d: "D1" },
    D1: { p: "P1" },
  };
  expect(place(links)).toBe(undefined);
});
