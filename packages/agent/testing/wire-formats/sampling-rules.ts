/** What newer models refuse of a request beside its messages, with 400: temperatures, and ways to think. */

type Refusal = string | undefined;

/** As OpenAI's responses: reasoning models take a temperature only without reasoning, and some always reason. */
export function refuseReasoning(body: {
  readonly model: string;
  readonly temperature?: number;
  readonly reasoning?: { readonly effort?: string };
}): Refusal {
  const { model, temperature, reasoning: { effort } = {} } = body;
  if (!model.startsWith("gpt-6")) return undefined;
  if (effort === "none" && /astra|sol/.test(model)) {
    return `Unsupported value: 'reasoning.effort' does not support 'none' with '${model}'.`;
  }
  if (temperature === undefined || effort === "none") return undefined;
  return "Unsupported parameter: 'temperature' is not supported with this model.";
}

/** As Anthropic's messages: from version 5 on, models take no temperature and no budget, and most always think; none does where a call is forced. */
export function refuseThinking(body: {
  readonly model: string;
  readonly temperature?: number;
  readonly thinking?: { readonly type: string };
  readonly tool_choice?: { readonly type: string };
}): Refusal {
  const { model, temperature, thinking, tool_choice } = body;
  const isThinking = thinking !== undefined && thinking.type !== "disabled";
  if (isThinking && /^(?:any|tool)$/.test(tool_choice?.type ?? "")) {
    return "Thinking may not be enabled when tool_choice forces tool use.";
  }
  if (!/^claude-(?:opus|sonnet|haiku)-5-5/.test(model)) return undefined;
  if (temperature !== undefined) return "temperature: not supported by this model";
  if (thinking?.type === "enabled") return "thinking.type: enabled is not supported by this model";
  if (thinking?.type !== "disabled" || model.includes("haiku")) return undefined;
  return "thinking.type: disabled is not supported by this model";
}
