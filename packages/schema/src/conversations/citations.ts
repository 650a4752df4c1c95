import * as z from "zod";

/** A part of a document that an answer was given, under the number by which its text refers to it. */
export const Citation = z.object({
  reference: z
    .int()
    .describe("Number of the citation in the answer, from 1: its text refers to it as [1]")
    .meta({ example: 1 }),
  dataSourceId: z.string().describe("Id of the data source").meta({ example: "dts_Mx2Cf9Jt6R" }),
  dataSourceName: z.string().describe("Name of the data source").meta({ example: "Handbook" }),
  documentId: z.string().describe("Id of the document").meta({ example: "opening-hours" }),
  title: z.string().describe("Title of the document").meta({ example: "Opening hours" }),
  headings: z
    .array(z.string())
    .describe("The headings that the part stands below, from the outermost on")
    .meta({ example: [] }),
  sourceUrl: z
    .string()
    .nullable()
    .describe("Origin of the document")
    .meta({ example: "https://example.com/hours" }),
  start: z.int().describe("Where the part begins in the document's text").meta({ example: 0 }),
  end: z.int().describe("Where it ends").meta({ example: 16 }),
});
export type Citation = z.infer<typeof Citation>;
