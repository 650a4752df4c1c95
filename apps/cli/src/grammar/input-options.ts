import { type Command, InvalidArgumentError, Option } from "commander";
import * as z from "zod";

/** A member of an input, as its JSON Schema has it. */
interface Member {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly items?: Member;
  readonly anyOf?: readonly Member[];
  readonly maxLength?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly description?: string;
}

/** An option, and the member of the input that it gives. */
export interface InputOption {
  readonly member: string;
  readonly option: Option;
  /** Whether its value may be the name of a file after an `@`. */
  readonly takesFile: boolean;
  /** Whether the text is JSON or YAML. */
  readonly isStructured: boolean;
  /** Whether an empty list stands for null, since the member takes null but no empty list. */
  readonly emptyIsNull: boolean;
}

/** Reads the text of a member that has a short form, and says what that is. */
export interface Reader {
  /** As in `provider/model`. */
  readonly form: string;
  /** Nothing if the text is in another form. */
  readonly read: (text: string) => object | undefined;
}

/** Longer texts can be in a file. */
const SHORT_TEXT = 4096;

/** Which members have options, and which of them a short form. */
interface Plan {
  readonly without: readonly string[];
  /** Members whose ids may be given by unique names. */
  readonly named: readonly string[];
  readonly readers: Readonly<Record<string, Reader>>;
}

/**
 * Adds an option for each member of a schema, but for those of `without`: `--skill-id <id>` for `skillIds`, which is
 * repeated. The descriptions are the schema's own.
 */
export function addInputOptions(
  command: Command,
  schema: z.ZodObject,
  { without, named, readers }: Plan,
): InputOption[] {
  const shape: Readonly<Record<string, z.ZodType>> = schema.shape;
  const options: InputOption[] = [];
  for (const [member, of] of Object.entries(shape)) {
    if (without.includes(member)) continue;
    const found = memberOf(of);
    const description = decapitalize(found.description ?? "");
    const described = {
      ...withoutNull(found),
      description,
      isNullable: of.safeParse(null).data === null,
    };
    const form = named.includes(member) ? "id-or-name" : readers[member]?.form;
    for (const one of optionsOf(member, described, form)) {
      command.addOption(one.option);
      options.push(one);
    }
  }
  return options;
}

/** Commands share the schemas of their members, and a process of tests makes all commands hundreds of times. */
const members = new WeakMap<z.ZodType, Member>();

function memberOf(schema: z.ZodType): Member {
  const known = members.get(schema);
  if (known !== undefined) return known;
  const member = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Member;
  members.set(schema, member);
  return member;
}

/** An explicit null counts as absent, so it needs no word of its own. */
const withoutNull = ({ anyOf, ...member }: Member): Member =>
  anyOf?.find(({ type }) => type !== "null") ?? member;

/** In a list of options, descriptions are not sentences. */
const decapitalize = (text: string): string =>
  /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;

/** A member, and whether null is a value of its own, not the same as to leave it out. */
interface Described extends Member {
  readonly isNullable: boolean;
}

function optionsOf(member: string, described: Described, form?: string): InputOption[] {
  const flag = `--${kebab(member)}`;
  const { description = "" } = described;
  const plainOption = { member, takesFile: false, isStructured: false, emptyIsNull: false };
  if (described.enum !== undefined) {
    const option = new Option(`${flag} <word>`, description).choices(described.enum);
    return [{ ...plainOption, option }];
  }
  if (isOfType(described, "boolean")) {
    const off = `--no-${kebab(member)}`;
    return [
      { ...plainOption, option: new Option(flag, `${description}; ${off} turns it off`) },
      { ...plainOption, option: new Option(off).hideHelp() },
    ];
  }
  if (isOfType(described, "integer") || isOfType(described, "number")) {
    // Times have no bound of their own; a number that does is an amount, such as that at which an alert ends.
    const { maximum = Number.MAX_SAFE_INTEGER } = described;
    const isTime =
      maximum === Number.MAX_SAFE_INTEGER && /(?:At|From|^since|^until|^from|^to)$/.test(member);
    const option = isTime
      ? new Option(`${flag} <time>`, `${description}, such as 2026-12-31T18:00Z`).argParser(
          readTime,
        )
      : new Option(`${flag} <number>`, description).argParser(readNumber);
    return [{ ...plainOption, option }];
  }
  if (isOfType(described, "array") && isOfType(described.items ?? {}, "string")) {
    return [{ ...plainOption, ...listOption(member, described, form) }];
  }
  if (isText(described)) {
    const takesFile = (described.maxLength ?? Number.POSITIVE_INFINITY) > SHORT_TEXT;
    const words = takesFile ? `${description}; @file reads a file` : description;
    const option = new Option(`${flag} <${form ?? "text"}>`, words);
    return [{ ...plainOption, takesFile: takesFile && form === undefined, option }];
  }
  const forms = form === undefined ? "as JSON or YAML" : `${form}, JSON or YAML`;
  const option = new Option(`${flag} <value>`, `${description}: ${forms}; @file reads a file`);
  return [{ ...plainOption, takesFile: true, isStructured: true, option }];
}

/** An option that is repeated for a list of texts. */
function listOption(
  member: string,
  { description = "", items, minItems = 0, isNullable }: Described,
  form = "value",
): Pick<InputOption, "option" | "emptyIsNull"> {
  const singular = `--${kebab(member.replace(/s$/, ""))}`;
  const emptyIsNull = minItems > 0 && isNullable;
  const clearing = minItems === 0 || emptyIsNull ? '; pass "" to clear' : "";
  const option = new Option(`${singular} <${form}>`, `${description}; repeatable${clearing}`);
  const choices = items?.enum;
  if (choices !== undefined) option.choices(choices);
  option.argParser((text, before?: readonly string[]) => {
    if (choices !== undefined && text !== "" && !choices.includes(text)) {
      throw new InvalidArgumentError(`Allowed choices are ${choices.join(", ")}.`);
    }
    return collect(text, before);
  });
  return { option, emptyIsNull };
}

const isOfType = ({ type }: Member, wanted: string): boolean =>
  type === wanted || (Array.isArray(type) && type.includes(wanted));

const isText = (member: Member): boolean =>
  isOfType(member, "string") || (member.anyOf?.every((one) => isText(one)) ?? false);

const kebab = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function readNumber(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value)) return value;
  throw new InvalidArgumentError("It must be a number.");
}

/** A time in milliseconds: a number of them, or a date. */
function readTime(text: string): number {
  const time = /^\d{5,}$/.test(text) ? Number(text) : Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw new InvalidArgumentError("It must be a time such as 2026-12-31T18:00Z.");
}

function collect(text: string, before: readonly string[] = []): readonly string[] {
  return text === "" ? before : [...before, text];
}
