/** Puts together what was split in the middle of a character. */
export interface SurrogateJoiner {
  /** What can be published of everything so far: all but half a character at the end. */
  push(text: string): string;
  /** The half that nothing came to complete. */
  flush(): string;
}

/** Makes a joiner for one stream of text. */
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
