import * as z from "zod";
import type { JsonEndpoint } from "./endpoint.ts";

/** Defaults of JSON requests that read. */
export const get = {
  kind: "json",
  method: "GET",
  status: 200,
  role: "user",
  rateLimit: "read",
  specified: false,
  errors: [],
} as const;

/** Defaults of JSON requests that create. */
export const post = { ...get, method: "POST", rateLimit: "create" } as const;

/** Defaults of streams. */
export const stream = { ...get, kind: "stream", rateLimit: "stream" } as const;

/** The names of the parameters in a path. */
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** Where the members of an input are in a request, by the operation's method and path. */
type Places<Method, Path extends string, Shape extends z.ZodRawShape> = {
  readonly params: z.ZodObject<Pick<Shape, NamesIn<Path> & keyof Shape>>;
} & (Exclude<keyof Shape, NamesIn<Path>> extends never
  ? unknown
  : Method extends "GET" | "DELETE"
    ? { readonly query: z.ZodObject<Omit<Shape, NamesIn<Path>>> }
    : { readonly body: z.ZodObject<Omit<Shape, NamesIn<Path>>> });

/** Path of a workspace that is administered. */
export const administered = "/api/admin/workspaces/{wId}";

/**
 * An operation of the administration. Members of its input that the path names are parameters; the others
 * are the query of a GET or DELETE, and the body of other requests.
 */
export function administer<
  const Role extends JsonEndpoint["role"],
  const Method extends JsonEndpoint["method"],
  const Path extends string,
  Shape extends z.ZodRawShape,
>(operation: {
  readonly role: Role;
  readonly method: Method;
  readonly path: Path;
  readonly input: z.ZodObject<Shape>;
}) {
  const { role, method, path, input } = operation;
  // The members are divided, so what concerns several of them is checked in core.
  if ((input.def.checks ?? []).length > 0) throw new Error(`The input of ${path} has checks`);
  const isInPath = (name: string) => path.includes(`{${name}}`);
  const members = Object.entries<z.core.$ZodType>(input.shape);
  const select = (isIn: (name: string) => boolean) =>
    z.object(Object.fromEntries(members.filter(([name]) => isIn(name))));
  const others = select((name) => !isInPath(name));
  const place = method === "GET" || method === "DELETE" ? "query" : "body";
  const places = {
    params: select(isInPath),
    ...(Object.keys(others.shape).length > 0 && { [place]: others }),
  };
  return {
    ...get,
    tags: ["administration"],
    errors: ["workspace_not_found"],
    rateLimit: "operate",
    auth: "administration",
    scope: null,
    role,
    method,
    path,
    // The entries of a shape are not inferred.
    ...(places as unknown as Places<Method, Path, Shape>),
  } as const;
}
