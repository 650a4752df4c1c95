/** The texts from outside that were read before something was written. */
export function describeSources({
  derivedFrom,
}: {
  readonly derivedFrom: readonly { readonly type: string; readonly name: string }[];
}): string {
  const names = derivedFrom.map(({ type, name }) => (name === "" ? type : `${type} ${name}`));
  return names.join(", ") || "–";
}
