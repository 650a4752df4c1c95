/** What the OpenAI interfaces' requests have in common. */

/** Reasoning efforts by those of the interfaces. */
export const reasoningEfforts = {
  none: "none",
  minimal: "light",
  low: "light",
  medium: "medium",
  high: "high",
} as const;

/** The content of a message that says nothing, after what was said before it: that is answered. */
export const NOTHING_SAID = " ";
