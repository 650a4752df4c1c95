import { styleText } from "node:util";

type Paint = (text: string) => string;

/** How the parts of a text look. */
export interface Theme {
  readonly heading: (text: string, level: number) => string;
  readonly strong: Paint;
  readonly emphasis: Paint;
  readonly deleted: Paint;
  readonly code: Paint;
  readonly link: Paint;
  /** Frames, marks and what is said besides. */
  readonly quiet: Paint;
  /** Code of a language; whether it is highlighted. */
  readonly isHighlighted: boolean;
}

/** How a block is shown. */
export interface Rendering {
  readonly theme: Theme;
  /** Columns that a line may have. */
  readonly width: number;
}

const paint =
  (format: Parameters<typeof styleText>[0]): Paint =>
  (text) =>
    // Whether there are colours was decided with the theme.
    styleText(format, text, { validateStream: false });

/** For a terminal with colours. */
export const colourful: Theme = {
  heading: (text, level) => paint(level < 3 ? ["bold", "underline"] : "bold")(text),
  strong: paint("bold"),
  emphasis: paint("italic"),
  deleted: paint("strikethrough"),
  code: paint("cyan"),
  link: paint(["cyan", "underline"]),
  quiet: paint("dim"),
  isHighlighted: true,
};

const same: Paint = (text) => text;

/** For a terminal without colours: the marks of Markdown stay, so that nothing is lost. */
export const colourless: Theme = {
  heading: (text, level) => `${"#".repeat(level)} ${text}`,
  strong: (text) => `**${text}**`,
  emphasis: (text) => `*${text}*`,
  deleted: (text) => `~~${text}~~`,
  code: (text) => `\`${text}\``,
  link: same,
  quiet: same,
  isHighlighted: false,
};
