import { addPages, type BoundedText } from "./bounded-text.ts";
import { type IsTime, readSharedTexts, readTimeStyles, writeTime } from "./cell-values.ts";
import { DocumentFault } from "./document-fault.ts";
import { openOffice, readReferences, readRelated } from "./office-package.ts";
import type { ExtractionQuestion } from "./question.ts";
import { attributeOf, type XmlEvents } from "./read-xml.ts";

/** Columns that a sheet may have. */
const MAX_COLUMNS = 16_384;
/** Characters that a cell may have. */
const MAX_CELL_CHARACTERS = 32_767;

/** Adds the sheets of a workbook in their order: a line for each row that holds something, with tabs between cells. */
export async function readXlsx(
  text: BoundedText,
  bytes: Uint8Array,
  question: ExtractionQuestion,
): Promise<void> {
  const { archive, main } = await openOffice(bytes, question);
  const related = await readRelated(archive, main);
  const partOf = (wanted: string) => related.find(({ type }) => type === wanted)?.path ?? "";
  const sheets = await readReferences(archive, main, "sheet");
  if (sheets.length > question.maxPages) throw new DocumentFault("too_many_pages");
  const shared = await readSharedTexts(archive, partOf("sharedStrings"));
  const isTime = await readTimeStyles(archive, partOf("styles"));
  let epoch: 1900 | 1904 = 1900;
  await archive.readPart(main, {
    open: (name, attributes) => {
      if (name === "workbookPr" && /^(?:1|true)$/.test(attributes["date1904"] ?? "")) epoch = 1904;
    },
  });
  await addPages(text, { count: sheets.length, noun: "sheet" }, async (number) => {
    const { id, name } = sheets[number - 1] ?? { id: "", name: "" };
    const part = related.find((one) => one.id === id)?.path ?? "";
    let isFirst = true;
    const addRow = (row: string): void => {
      text.add(isFirst ? `Sheet ${name}:\n${row}\n` : `${row}\n`);
      isFirst = false;
    };
    await archive.readPart(part, rows({ shared, isTime, epoch, addRow }));
    if (!isFirst) text.add("\n");
  });
}

interface Rows {
  readonly shared: readonly string[];
  readonly isTime: IsTime;
  readonly epoch: 1900 | 1904;
  readonly addRow: (row: string) => void;
}

/** Reads the rows of a sheet. */
function rows({ shared, isTime, epoch, addRow }: Rows): XmlEvents {
  let cells: string[] = [];
  let column = 0;
  let type = "";
  let style: string | undefined;
  let value = "";
  let inValue = false;
  const write = (): string => {
    if (type === "s") return shared[Number(value)] ?? "";
    if (type === "b") return value === "1" ? "TRUE" : "FALSE";
    const isNumber = type === "" || type === "n";
    return isNumber && isTime(style) ? writeTime(value, epoch) : value;
  };
  return {
    open: (name, attributes) => {
      if (name === "row") cells = [];
      if (name === "c") {
        column = columnOf(attributeOf(attributes, "r")) ?? cells.length;
        type = attributeOf(attributes, "t") ?? "";
        style = attributeOf(attributes, "s");
        value = "";
      }
      if (name === "v" || name === "t") inValue = true;
    },
    text: (text) => {
      if (inValue && value.length < MAX_CELL_CHARACTERS) value += text;
    },
    close: (name) => {
      if (name === "v" || name === "t") inValue = false;
      if (name === "c" && value !== "" && column < MAX_COLUMNS) {
        while (cells.length < column) cells.push("");
        cells[column] = write().replaceAll(/[\t\r\n]+/g, " ");
      }
      if (name === "row" && cells.length > 0) addRow(cells.join("\t"));
    },
  };
}

/** The position of a column from 0, as in `AB12`. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? "")?.[0];
  if (letters === undefined) return undefined;
  return Buffer.from(letters).reduce((sum, code) => sum * 26 + code - 64, 0) - 1;
}
