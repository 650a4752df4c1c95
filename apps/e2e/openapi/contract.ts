import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { type Answer, send } from "../request.ts";
import type { Server } from "../server.ts";

/** A JSON Schema, or any other object of the document. */
export type Json = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly schema: Json;
  readonly example?: string | number;
}

export interface Operation {
  readonly operationId: string;
  readonly path: string;
  readonly method: string;
  readonly tags: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { schema: Json; example?: unknown }>>;
  };
  readonly responses: Readonly<Record<string, Json>>;
}

/** The document of a server, and whether requests and answers are as it says. */
export interface Contract {
  readonly document: Json;
  readonly operations: readonly Operation[];
  /** The object that a reference of the document names. */
  resolve(reference: string): Json;
  /** Whether a value is one that the schema takes, as it may be sent. */
  takes(schema: Json, value: unknown): boolean;
  /** What is wrong with an answer to an operation; nothing if it is as documented. */
  findFaults(operation: Operation, answer: Answer): string[];
  /** What is wrong with a value, of which every member has to be documented. */
  findFaultsIn(schema: Json, value: unknown): string[];
}

const told = ["RateLimit", "RateLimit-Policy", "Retry-After", "ETag", "Location", "Content-Range"];

/** Reads the document of a server. */
export async function readContract(server: Pick<Server, "url" | "demo">): Promise<Contract> {
  const { text } = await send(server, { path: "/openapi.json", key: null });
  const document = JSON.parse(text) as Json;
  const resolve = (reference: string): Json =>
    reference
      .slice(2)
      .split("/")
      .reduce<unknown>((value, name) => (value as Json)[name], document) as Json;
  const sent = createValidators(document);
  const answered = createValidators(document, closed);

  const findFaultsIn = (schema: Json, value: unknown): string[] => {
    const validate = answered(schema);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${instancePath}: ${message} ${JSON.stringify(params)}`,
    );
  };

  return {
    document,
    operations: operationsOf(document),
    resolve,
    takes: (schema, value) => sent(schema)(value),
    findFaultsIn,
    findFaults: ({ responses }, { status, headers, text: body }) => {
      const found = responses[status];
      if (found === undefined) return [`${status} is not documented: ${body.slice(0, 300)}`];
      const response = typeof found["$ref"] === "string" ? resolve(found["$ref"]) : found;
      const documented = Object.keys(response["headers"] as Json);
      const faults = ["x-request-id", ...told]
        .filter((name) => headers.has(name) && !documented.includes(name))
        .map((name) => `${status} has the header ${name}`);
      if (!headers.has("x-request-id")) faults.push(`${status} has no x-request-id`);
      const content = (response["content"] ?? {}) as Record<string, { schema: Json }>;
      const type = headers.get("content-type")?.split(";")[0] ?? "";
      const media = content[type] ?? content["*/*"];
      if (media === undefined) return body === "" ? faults : [...faults, `${status} has ${type}`];
      if (type !== "application/json") return faults;
      return [...faults, ...findFaultsIn(media.schema, JSON.parse(body))];
    },
  };
}

/** Every operation of a document. */
function operationsOf(document: Json): Operation[] {
  const paths = document["paths"] as Record<string, Record<string, Operation>>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      parameters: (operation.parameters as readonly Parameter[] | undefined) ?? [],
      path,
      method: method.toUpperCase(),
    })),
  );
}

/** Compiles each schema of a document once, after it was changed by `prepare`. */
function createValidators(
  document: Json,
  prepare: (value: unknown) => unknown = (value) => value,
): (schema: Json) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
  ajv.addSchema(prepare(document) as Json, "document");
  const known = new WeakMap<Json, ValidateFunction>();
  return (schema) => {
    const text = () => JSON.stringify(prepare(schema)).replaceAll('"#/', '"document#/');
    const validate = known.get(schema) ?? ajv.compile(JSON.parse(text()) as Json);
    known.set(schema, validate);
    return validate;
  };
}

/** Schemas that refuse every member that is not documented. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [
    name,
    name === "example" || name === "examples" ? member : closed(member),
  ]);
  const copy = Object.fromEntries(members) as Record<string, unknown>;
  const isOpen = copy["type"] === "object" && copy["properties"] !== undefined;
  return isOpen && copy["openapi"] === undefined && copy["additionalProperties"] === undefined
    ? { ...copy, additionalProperties: false }
    : copy;
}
