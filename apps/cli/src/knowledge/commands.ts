import { Command } from "@commander-js/extra-typings";
import { group } from "@parley/command/group";
import type { Context } from "../connection/context.ts";
import { listCommand } from "../grammar/list-command.ts";
import { inputOf } from "../grammar/endpoint-calls.ts";
import { shortTime } from "../terminal/short-time.ts";
import { createTableCommands } from "./tables.ts";
import { createWebSourceCommands } from "./web-sources.ts";
import { documents, readDocuments } from "./documents.ts";
import { withServer } from "../connection/server-options.ts";

const about = `
Uploads the text files of the folder (.md, .markdown, .txt, .rst, .adoc, .csv, .json, .yaml, .yml) that are new or
changed. The id of a document is its path in the folder, and its folders are its parents. A CSV file is a document like the
others, whose text agents read; parley knowledge tables push makes it a table that they query.`;

const pushing = (context: Context) =>
  withServer(new Command("push"))
    .description("upload what changed in a folder to a data source")
    .argument("<folder>", "folder of text files")
    .requiredOption("--source <id>", "id of the data source")
    .option("--tag <tag...>", "tags of all the documents")
    .option("--remove", "delete documents that have no file in the folder")
    .option("--watch", "upload changes until interrupted")
    .addHelpText("after", about)
    .action(async (folder, options) =>
      (await import("./push-folder.ts")).pushFolder(context, folder, options),
    );

const searching = (context: Context) =>
  withServer(new Command("search"))
    .description("search documents as agents do, the best matches first")
    .argument("<query>", "words, codes or a question")
    .option("--source <id...>", "only in these data sources")
    .option("--tag <tag...>", "only documents with one of these tags")
    .option("--limit <n>", "parts to find, 1 to 50", "10")
    .action(async (query, options) =>
      (await import("./search-parts.ts")).searchParts(context, query, options),
    );

const showing = (context: Context) =>
  withServer(new Command("status"))
    .description("show how documents are searched, and how many parts have a vector")
    .action(async (options) => (await import("./show-status.ts")).showStatus(context, options));
const listing = (context: Context) =>
  listCommand(context, documents, {
    name: "documents",
    about: "list what is in a data source, and how far it is divided into what agents find",
    of: "data-source",
    by: "id or name",
    filters: inputOf("dataSourceNodes.list", ["limit", "lastValue"]),
    read: readDocuments,
    columns: {
      ID: ({ nodeId }) => nodeId,
      TITLE: ({ title }) => title,
      KIND: ({ nodeType }) => nodeType,
      BYTES: ({ bytes }) => bytes,
      UPDATED: ({ updatedAt }) => shortTime(updatedAt),
      STATE: ({ division }) =>
        division && [division.state, division.failure].filter((one) => one !== null).join(": "),
    },
  });

const dividing = (context: Context) =>
  withServer(new Command("divide"))
    .description("divide a document again, or all of a data source whose division failed")
    .argument("<data-source>", "id or name")
    .argument("[document]", "id of the document")
    .action(async (dataSource, document, options) =>
      (await import("./divide-documents.ts")).divideDocuments(
        context,
        { dataSource, document },
        options,
      ),
    );

/** Makes the commands about knowledge. */
export const createKnowledgeCommands = (context: Context) =>
  group("knowledge", "documents that agents look things up in", [
    pushing(context),
    searching(context),
    showing(context),
    listing(context),
    dividing(context),
    createTableCommands(context),
    createWebSourceCommands(context),
  ]);
