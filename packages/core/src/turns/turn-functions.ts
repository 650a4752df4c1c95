import { sql } from "drizzle-orm";

/** A sandbox function as a tool of a turn's model, under the function's slug. */
export interface TurnFunction {
  readonly slug: string;
  readonly description: string;
  /** JSON Schema of the parameters; null if the function takes any input. */
  readonly inputSchema: Record<string, unknown> | null;
}

/** The subquery of a claim that gives the `TurnFunction`s of the agent `a`. */
export const functionsOfTurn = sql`
  select json_agg(json_build_object(
    'slug', f.slug, 'description', v.description, 'inputSchema', v.input_schema
  ) order by own.position)
  from agent_functions own
  join sandbox_functions f on f.id = own.function_id and f.status = 'active'
  join sandbox_function_versions v on v.function_id = f.id and v.version = f.version
  where own.agent_id = a.id`;
