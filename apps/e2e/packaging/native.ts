// What a bundle of React Native is built from, and run in, by the tests of the packed client.

/** What a project of React Native has to bundle its code, and to compile it. */
export const nativePackages = [
  "@babel/core@7.29.13",
  "@react-native/babel-preset@0.88.1",
  "hermes-compiler@260318099.0.5",
  "metro@0.87.1",
  "metro-config@0.87.1",
  "metro-runtime@0.87.1",
  "react-native@0.88.1",
];

/** The globals that React Native defines in JavaScript, from its own sources; it has neither `crypto` nor streams. */
const globals = `
const { URL, URLSearchParams } = require("react-native/Libraries/Blob/URL");
const { AbortController } = require("react-native/src/private/webapis/dom/abort-api/AbortController");
const { AbortSignal_public: AbortSignal } = require("react-native/src/private/webapis/dom/abort-api/AbortSignal");
const { default: Event } = require("react-native/src/private/webapis/dom/events/Event");
const { default: EventTarget } = require("react-native/src/private/webapis/dom/events/EventTarget");
Object.assign(globalThis, { URL, URLSearchParams, AbortController, AbortSignal, Event, EventTarget });
Object.assign(globalThis, require("react-native/Libraries/Network/fetch"));
`;

const entry = `
require("./globals");
globalThis.createParley = require("parley-client").createParley;
globalThis.useClient = require("./use").useClient;
`;

const transformer = `
const { transformSync } = require("@babel/core");
const preset = [require("@react-native/babel-preset"), { dev: false, enableBabelRuntime: false }];
exports.transform = ({ filename, options: { platform }, src, plugins }) =>
  transformSync(src, {
    ast: true,
    babelrc: false,
    configFile: false,
    code: false,
    filename,
    sourceType: "unambiguous",
    plugins,
    presets: [preset],
    caller: { name: "metro", bundler: "metro", platform },
  });
`;

/** Bundles as the bundler of React Native does, whose packages are chosen by its condition. */
const build = `
import { writeFile } from "node:fs/promises";
import path from "node:path";
import Metro from "metro";
import { getDefaultConfig } from "metro-config";
const projectRoot = import.meta.dirname;
const config = await getDefaultConfig(projectRoot);
const { code } = await Metro.runBuild(
  {
    ...config,
    projectRoot,
    watchFolders: [projectRoot],
    cacheStores: [],
    maxWorkers: 1,
    reporter: { update() {} },
    transformer: {
      ...config.transformer,
      babelTransformerPath: path.join(projectRoot, "transformer.cjs"),
      asyncRequireModulePath: "metro-runtime/src/modules/asyncRequire",
    },
    resolver: {
      ...config.resolver,
      platforms: ["ios", "android"],
      resolverMainFields: ["react-native", "browser", "main"],
      unstable_conditionNames: ["react-native"],
      useWatchman: false,
    },
  },
  { entry: "native.js", dev: false, minify: false, platform: "ios" },
);
await writeFile("native.bundle.js", code);
`;

/** What is written into the project, beside `use.js`; `build.js` makes `native.bundle.js`. */
export const nativeFiles = {
  "globals.js": globals,
  "native.js": entry,
  "transformer.cjs": transformer,
  "build.js": build,
};

/** The request of a phone, which has the whole body of an answer or nothing. */
export class WholeRequest {
  readonly upload = {};
  readonly #headers: Record<string, string> = {};
  readonly #aborting = new AbortController();
  #request: [method: string, url: string] = ["GET", ""];
  #answered = "";
  status = 0;
  statusText = "";
  responseURL = "";
  responseText = "";
  onload?: () => void;
  onerror?: () => void;
  onabort?: () => void;

  open(method: string, url: string): void {
    this.#request = [method, url];
  }
  setRequestHeader(name: string, value: string): void {
    this.#headers[name] = value;
  }
  getAllResponseHeaders(): string {
    return this.#answered;
  }
  abort(): void {
    this.#aborting.abort();
    this.onabort?.();
  }
  async send(body: string | null = null): Promise<void> {
    const [method, url] = this.#request;
    const { signal } = this.#aborting;
    try {
      const response = await fetch(url, { method, headers: this.#headers, body, signal });
      this.responseText = await response.text();
      ({ status: this.status, statusText: this.statusText, url: this.responseURL } = response);
      this.#answered = [...response.headers].map((pair) => pair.join(": ")).join("\r\n");
    } catch {
      this.onerror?.();
      return;
    }
    this.onload?.();
  }
}
