/** Languages whose words PostgreSQL brings to their stems, and how a text of one is told. */

interface Language {
  /** PostgreSQL's configuration of text search. */
  readonly configuration: string;
  /** As tags name it. */
  readonly code: string;
  /** Frequent words that say nothing of what a text is about. */
  readonly stopWords: ReadonlySet<string>;
}

const language = (configuration: string, code: string, words: string): Language => ({
  configuration,
  code,
  stopWords: new Set(words.split(" ")),
});

const languages: readonly Language[] = [
  language(
    "english",
    "en",
    "the of and to in is that it for was on are as with his they at be this from have or by had not but what all were when we there can an your which their if do how will about then them these so some her would him into has who did its a i my",
  ),
  language(
    "german",
    "de",
    "der die das und ist nicht ein eine zu den von mit sich auf für dem im auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch man wenn ich wir was wer wo",
  ),
  language(
    "french",
    "fr",
    "le la les de des du et est un une en que qui dans pour pas sur au ce il plus par avec ne se son sont ou mais comme nous vous leur cette elle ont être fait aux ces à je",
  ),
  language(
    "spanish",
    "es",
    "el la los las de del y en que un una es por con no para su se al lo como más pero sus le ya o este sí porque esta entre cuando muy sin sobre también me hasta hay donde",
  ),
  language(
    "italian",
    "it",
    "il lo la i gli le di del della dei e è un una in che per non con si da al sono come ma anche più o nel alla questo ha dal se ci suo loro essere",
  ),
  language(
    "portuguese",
    "pt",
    "o os a as de do da dos das e é em um uma que para não com por se no na mais como mas foi ao ele seu sua ou ser quando muito nos já está também pelo pela",
  ),
  language(
    "dutch",
    "nl",
    "de het een en van is dat die in te niet zijn op aan met als voor er maar om hem dan zou of wat mijn men dit zo door over ze bij ook tot je mij uit der daar naar heb",
  ),
];

/** Scripts of languages that their letters tell. */
const scripts: readonly (readonly [RegExp, string])[] = [[/\p{Script=Cyrillic}/gu, "russian"]];

/** The configuration of texts in no language of these: their words stay as they are. */
export const SIMPLE = "simple";

/** All configurations that parts may have. */
export const configurations: readonly string[] = [
  SIMPLE,
  ...languages.map(({ configuration }) => configuration),
  ...scripts.map(([, configuration]) => configuration),
];

/** Characters at the beginning of a text that tell its language. */
const TOLD_BY_CHARACTERS = 4000;
/** How many of the words must be frequent ones of a language, and how many of ten. */
const MIN_HITS = 2;
const MIN_TENTHS = 1.5;

const LANGUAGE_TAG = /^(?:lang|language):([a-z]{2})\b/i;

/**
 * The configuration for a text: of the language that a tag such as `language:de` names, or whose frequent words it has;
 * `simple` if neither tells.
 */
export function languageOf(text: string, tags: readonly string[] = []): string {
  const codes = tags.map((tag) => LANGUAGE_TAG.exec(tag)?.[1]?.toLowerCase());
  const named = languages.find(({ code }) => codes.includes(code));
  if (named !== undefined) return named.configuration;
  const beginning = text.slice(0, TOLD_BY_CHARACTERS);
  const letters = beginning.match(/\p{L}/gu)?.length ?? 0;
  for (const [script, configuration] of scripts) {
    if ((beginning.match(script)?.length ?? 0) > letters / 2) return configuration;
  }
  const words = wordsIn(beginning);
  const counts = languages.map(({ configuration, stopWords }) => ({
    configuration,
    hits: words.filter((word) => stopWords.has(word)).length,
  }));
  const [best] = counts.toSorted((a, b) => b.hits - a.hits);
  if (best === undefined || best.hits < MIN_HITS) return SIMPLE;
  return best.hits * 10 >= MIN_TENTHS * words.length ? best.configuration : SIMPLE;
}

function wordsIn(text: string): string[] {
  return text.toLowerCase().match(/\p{L}+/gu) ?? [];
}

/** Whether a word is frequent in any of the languages. */
export function isStopWord(word: string): boolean {
  return languages.some(({ stopWords }) => stopWords.has(word.toLowerCase()));
}
