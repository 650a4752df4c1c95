/** Joins the class names that are there. */
export function join(...names: readonly (string | false | undefined)[]): string {
  return names.filter(Boolean).join(" ");
}
