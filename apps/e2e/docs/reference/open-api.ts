import { createDocument } from "@parley/api";
import { doors, type Endpoint, endpoints } from "@parley/schema";

/** The rows of the endpoint table, and the operations in the words of other protocols. */
export const rows: Readonly<Record<string, Endpoint>> = { ...endpoints, ...doors };

/** What is read of a JSON Schema. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  readonly contentMediaType?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

interface Content {
  readonly schema?: JsonSchema & { readonly contentSchema?: JsonSchema };
}

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

/** An operation of the document. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<
    Record<string, { readonly $ref?: string; readonly content?: Readonly<Record<string, Content>> }>
  >;
}

/** An operation with each route that leads to it. */
export interface RoutedOperation extends Operation {
  readonly routes: readonly string[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

/** The operations of `/openapi.json` by their names, and its models. */
export function readDocument(): {
  operations: RoutedOperation[];
  models: Readonly<Record<string, JsonSchema>>;
} {
  const { paths, components } = createDocument("") as Document;
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      route: `${method.toUpperCase()} ${path}`,
      name: nameOf(operation),
      operation,
    })),
  );
  const operations = [...Map.groupBy(all, ({ name }) => name)].map(([name, found]) => {
    const widest = found.toSorted(
      (one, other) => parametersOf(other.operation) - parametersOf(one.operation),
    )[0];
    if (widest === undefined) throw new Error(`There is no operation ${name}`);
    const routes = found.map(({ route }) => route).filter((route) => !route.includes("/api/sse/"));
    return { ...widest.operation, operationId: name, routes };
  });
  return { operations, models: components.schemas };
}

/** The name of an operation: that of its row, if it is the second path of one. */
function nameOf({ operationId }: Operation): string {
  const name = operationId.replace(/\.(?:stream|inSpace|ofKey)$/, "");
  return name in rows ? name : operationId;
}

const parametersOf = ({ parameters = [] }: Operation): number => parameters.length;
