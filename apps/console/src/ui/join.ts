/** Joins class names, without empty and false ones. */
export function join(...names: readonly (string | false | undefined)[]): string {
  return names.filter(Boolean).join(" ");
}
