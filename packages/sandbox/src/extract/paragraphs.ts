import type { XmlEvents } from "./read-xml.ts";

/** What is in the place of an element of a run. */
const signs: Readonly<Record<string, string>> = {
  tab: "\t",
  br: "\n",
  cr: "\n",
  noBreakHyphen: "-",
};

/** Reads the paragraphs and tables of Word and PowerPoint, which have the same names in both. */
export function paragraphs(add: (text: string) => void): XmlEvents {
  let inText = 0;
  let inRun = 0;
  let inCell = 0;
  // What newer programs show is there twice: once more for older ones.
  let inFallback = 0;
  return {
    open: (name) => {
      if (name === "Fallback") inFallback++;
      if (inFallback > 0) return;
      if (name === "r") inRun++;
      else if (name === "t") inText++;
      else if (name === "tc") inCell++;
      else if (name === "br" || inRun > 0) {
        const sign = signs[name];
        if (sign !== undefined) add(sign);
      }
    },
    text: (text) => {
      if (inText > 0 && inFallback === 0) add(text);
    },
    close: (name) => {
      if (name === "Fallback") inFallback--;
      if (inFallback > 0) return;
      if (name === "r") inRun--;
      else if (name === "t") inText--;
      else if (name === "p") add(inCell > 0 ? " " : "\n");
      else if (name === "tr") add("\n");
      else if (name === "tc") {
        inCell--;
        add("\t");
      }
    },
  };
}
