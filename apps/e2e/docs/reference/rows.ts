import { hasMembers, modelOf, type Names, optionsOf, renderType, resolve } from "./types.ts";
import type { JsonSchema } from "./open-api.ts";

/** Members of members that a table has. */
const MOST_DEPTH = 3;

/** A cell of a table. */
export const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ");

/** The rows of an object's members, and of those of the objects in them that have no section. */
export function renderMembers(
  schema: JsonSchema,
  names: Names,
  { place, before = "", depth = 1 }: { place?: string; before?: string; depth?: number } = {},
): string[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, member]) => {
    const path = `${before}${name}`;
    const row = [
      required.includes(name) ? `**\`${path}\`**` : `\`${path}\``,
      ...(place === undefined ? [] : [place]),
      cell(renderType(member, names)),
      cell(member.description ?? names.models[modelOf(member) ?? ""]?.description ?? ""),
    ];
    const whole = resolve(member, names);
    const element = whole.items && resolve(whole.items, names);
    const inner = [
      { part: whole, path: `${path}.` },
      ...(element ? [{ part: element, path: `${path}[].` }] : []),
    ].filter(({ part }) => hasMembers(part) && depth < MOST_DEPTH);
    return [
      `| ${row.join(" | ")} |`,
      ...inner.flatMap((one) =>
        renderMembers(one.part, names, {
          before: one.path,
          depth: depth + 1,
          ...(place !== undefined && { place }),
        }),
      ),
    ];
  });
}

/** A table of the members of an object. */
export function renderObject(schema: JsonSchema, names: Names): string {
  const rows = renderMembers(schema, names);
  return ["| Field | Type | Description |", "| --- | --- | --- |", ...rows].join("\n");
}

/** What a section says of a model: its members, or what it may be. */
export function renderModel(schema: JsonSchema, names: Names): string {
  const about = schema.description === undefined ? [] : [schema.description];
  if (hasMembers(schema)) return [...about, renderObject(schema, names)].join("\n\n");
  const options = optionsOf(schema);
  const shared = sharedOf(options);
  const lines = options.map((option) => {
    if (modelOf(option) !== undefined || !hasMembers(option)) return renderType(option, names);
    const { properties = {}, required = [] } = option;
    const own = Object.entries(properties).filter(([name]) => !(name in (shared.properties ?? {})));
    return own
      .map(([name, member]) => {
        const shown = required.includes(name) ? `**\`${name}\`**` : `\`${name}\``;
        const said = member.description === undefined ? "" : `: ${member.description}`;
        return `${shown} ${renderType(member, names)}${said}`;
      })
      .join("; ");
  });
  const list = lines.map((line) => `- ${line}`).join("\n");
  if (!hasMembers(shared)) return [...about, "One of:", list].join("\n\n");
  return [...about, renderObject(shared, names), "And one of:", list].join("\n\n");
}

/** The members that all options have alike, as an object. */
function sharedOf(options: readonly JsonSchema[]): JsonSchema {
  const [first, ...others] = options;
  const isShared = (name: string, member: JsonSchema): boolean =>
    others.length > 0 &&
    others.every(
      ({ properties = {}, required = [] }) =>
        JSON.stringify(properties[name]) === JSON.stringify(member) &&
        required.includes(name) === first?.required?.includes(name),
    );
  const members = Object.entries(first?.properties ?? {});
  return {
    properties: Object.fromEntries(members.filter(([name, member]) => isShared(name, member))),
    required: first?.required ?? [],
  };
}
