import * as z from "zod";

/**
 * Who approves the calls of a tool: nobody (`never_ask`); its user, who may approve all later calls
 * (`low`), or those by the same agent (`medium`); its user, for each call (`high`).
 */
export const Stake = z
  .enum(["never_ask", "low", "medium", "high"])
  .describe("Risk of the call")
  .meta({ example: "high" });
export type Stake = z.infer<typeof Stake>;
