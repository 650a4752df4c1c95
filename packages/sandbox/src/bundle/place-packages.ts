/** More copies of packages than this come of versions that need each other in a circle. */
const MAX_PLACES = 1000;

/**
 * Where the packages of a program are in a `node_modules` without links, as npm would put them: each at the top, and
 * beside the one that imports it where the top has another version. `links` has the folder of each package by its name,
 * by the folder of the one that imports it, which is empty for the program. Gives the folder that is put at each path;
 * undefined if there are more than 1000.
 */
export function placePackages(
  links: ReadonlyMap<string, ReadonlyMap<string, string>>,
): ReadonlyMap<string, string> | undefined {
  const places = new Map<string, string>();
  const waiting: (readonly [place: string, folder: string])[] = [["", ""]];
  for (const [place, folder] of waiting) {
    const imported = [...(links.get(folder) ?? [])];
    for (const [name, wanted] of imported.toSorted(([one], [other]) => (one < other ? -1 : 1))) {
      const found = findPlace(places, { place, name });
      if (found !== undefined && places.get(found) === wanted) continue;
      const at = inside(found === undefined ? "" : place, name);
      places.set(at, wanted);
      waiting.push([at, wanted]);
      if (places.size > MAX_PLACES) return undefined;
    }
  }
  return places;
}

const inside = (place: string, name: string): string =>
  `${place === "" ? "" : `${place}/`}node_modules/${name}`;

/** The place of a package that files in a place find by its name. */
function findPlace(
  places: ReadonlyMap<string, string>,
  { place, name }: { readonly place: string; readonly name: string },
): string | undefined {
  for (let from = place; ; from = from.slice(0, Math.max(0, from.lastIndexOf("/node_modules/")))) {
    const at = inside(from, name);
    if (places.has(at)) return at;
    if (from === "") return undefined;
  }
}
