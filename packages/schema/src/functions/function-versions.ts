import * as z from "zod";
import { pageByNumber, pageEnd } from "../parsing/page.ts";
import { Milliseconds } from "../parsing/text.ts";
import { AdministeredFunction, FunctionIdentity } from "./function-administration.ts";

export const ListFunctionVersions = FunctionIdentity.extend(pageByNumber("Versions", 20));
export type ListFunctionVersions = z.output<typeof ListFunctionVersions>;

/** What a function was in one of its versions, which never change. */
export const FunctionVersion = AdministeredFunction.omit({
  sId: true,
  slug: true,
  status: true,
  updatedAt: true,
}).extend({
  version: z.int().describe("Number of the version, from 1").meta({ example: 1 }),
  createdAt: Milliseconds.describe("When the version was created"),
  editor: z
    .object({
      sId: z.string().describe("Id of the user"),
      name: z.string().describe("Name of the user"),
    })
    .nullable()
    .describe("Who created it; null for an operator"),
});
export type FunctionVersion = z.infer<typeof FunctionVersion>;

export const FunctionVersionPage = z.object({
  versions: z
    .array(FunctionVersion)
    .describe(
      "Versions, newest first; old unused ones are deleted (PARLEY_VERSION_RETENTION_DAYS). " +
        "A page of large versions has fewer than asked for",
    ),
  ...pageEnd,
});
export type FunctionVersionPage = z.infer<typeof FunctionVersionPage>;
