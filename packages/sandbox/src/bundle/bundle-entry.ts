// A process that bundles one program, or collects the files of its packages, and ends. Its standard input is the program,
// its output the answer. Only types are stripped here, and no package of the workspace is found: imports must need neither.
import { text } from "node:stream/consumers";
import { endWith } from "../extract/end-with.ts";
import { answerQuestion } from "./answer-question.ts";
import type { BundleQuestion } from "./bundle-program.ts";

const question = JSON.parse(await text(process.stdin)) as BundleQuestion;
endWith(await answerQuestion(question));
