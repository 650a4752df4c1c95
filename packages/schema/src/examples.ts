import * as z from "zod";

declare module "zod" {
  interface GlobalMeta {
    /** A value of the schema, for the OpenAPI document. */
    example?: z.$output | z.$input;
  }
}

/**
 * An example of a schema's values: the schema's own, or one composed of the examples of its members.
 * Optional members without an example are left out; a list without an example element is empty.
 * Undefined if a required member has no example.
 */
export function exampleOf<S extends z.core.$ZodType>(schema: S): z.output<S> {
  // Each branch follows the kind of the schema, which its output type does not.
  const { example = compose(schema) } = z.globalRegistry.get(schema) ?? {};
  return example as z.output<S>;
}

function compose(schema: z.core.$ZodType): unknown {
  if (schema instanceof z.ZodObject) return composeObject(schema);
  if (schema instanceof z.ZodArray) {
    const element: unknown = exampleOf(schema.element);
    return element === undefined ? [] : [element];
  }
  if (schema instanceof z.ZodUnion) return exampleOf(schema.options[0] as z.ZodType);
  if (schema instanceof z.ZodNullable) return exampleOf(schema.unwrap()) ?? null;
  if (schema instanceof z.ZodPipe) return exampleOf(schema.in);
  if (schema instanceof z.ZodLiteral) return schema.value;
  if (schema instanceof z.ZodEnum) return schema.options[0];
  if (schema instanceof z.ZodBoolean) return false;
  return schema instanceof z.ZodNull ? null : undefined;
}

function composeObject({ shape }: z.ZodObject<Record<string, z.ZodType>>): unknown {
  const members: [string, unknown][] = [];
  for (const [name, member] of Object.entries(shape)) {
    const value: unknown = exampleOf(member);
    if (value !== undefined) members.push([name, value]);
    else if (!member.isOptional()) return undefined;
  }
  return Object.fromEntries(members);
}
