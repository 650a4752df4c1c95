/** Joins text that was split in the middle of a character. */
export interface SurrogateJoiner {
  /** The text that can be published so far: all except half a character at the end. */
  push(text: string): string;
  /** The half character that is left. */
  flush(): string;
}

/** Creates a joiner for one stream of text. */
export function joinSurrogates(): SurrogateJoiner {
  let held = "";
  return {
    push: (text) => {
      if (text === "") return "";
      const whole = held + text;
      held = endsInHalf(whole) ? whole.slice(-1) : "";
      return held === "" ? whole : whole.slice(0, -1);
    },
    flush: () => {
      const half = held;
      held = "";
      return half;
    },
  };
}

function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}
