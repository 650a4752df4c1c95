// Runs in the page /docs/api, after Swagger UI has loaded.

const STORED_KEY = "parley-key";
/** Text of a stream that the page shows; older text is dropped. */
const MAX_SHOWN_CHARACTERS = 1_000_000;

const root = document.getElementById("reference");

/** The document, with the page's workspace in place of the example. */
async function readDocument() {
  const described = await (await fetch("../openapi.json")).json();
  const { workspace } = root.dataset;
  if (workspace === undefined) return described;
  const operations = Object.values(described.paths).flatMap((methods) => Object.values(methods));
  for (const parameter of operations.flatMap(({ parameters = [] }) => parameters)) {
    if (parameter.name === "wId") parameter.example = workspace;
  }
  return described;
}

/** Keeps the key until the tab is closed, and uses it for every scheme. */
function keepKey() {
  return {
    statePlugins: {
      auth: {
        wrapActions: {
          authorize: (authorize) => (given) => {
            const [value] = Object.values(given).map((one) => one.value);
            const isNew = value !== sessionStorage.getItem(STORED_KEY);
            sessionStorage.setItem(STORED_KEY, value);
            const action = authorize(given);
            if (isNew) useKey(value);
            return action;
          },
          logout: (logout) => (names) => {
            sessionStorage.removeItem(STORED_KEY);
            return logout(names);
          },
        },
      },
    },
  };
}

function useKey(key) {
  for (const scheme of Object.keys(shown.components.securitySchemes)) {
    ui.preauthorizeApiKey(scheme, key);
  }
}

/** The form whose button was clicked last. */
let asked = null;
document.addEventListener(
  "click",
  ({ target }) => {
    if (target.closest(".execute") !== null) asked = target.closest(".opblock-body");
  },
  { capture: true },
);

/** Shows the events of a stream below its form as they come; Swagger UI would wait for its end. */
async function followStream(url, request) {
  const stop = new AbortController();
  const response = await fetch(url, { ...request, signal: stop.signal });
  const type = response.headers.get("content-type") ?? "";
  if (!type.startsWith("text/event-stream")) return response;
  const form = asked ?? root;
  form.querySelector(".stream")?.remove();
  const panel = Object.assign(document.createElement("section"), { className: "stream" });
  const button = Object.assign(document.createElement("button"), {
    className: "btn",
    textContent: "Stop",
  });
  const events = document.createElement("pre");
  button.addEventListener("click", () => stop.abort());
  panel.append(button, events);
  form.append(panel);
  try {
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      events.textContent = (events.textContent + text).slice(-MAX_SHOWN_CHARACTERS);
    }
  } catch (error) {
    if (!stop.signal.aborted) events.textContent += `\n${String(error)}`;
  }
  button.remove();
  const { status, headers } = response;
  return new Response(events.textContent, { status, headers });
}

const shown = await readDocument();
const ui = SwaggerUIBundle({
  spec: shown,
  dom_id: "#reference",
  deepLinking: true,
  // All operations at once take the browser seconds, at each change.
  docExpansion: "none",
  defaultModelsExpandDepth: -1,
  tryItOutEnabled: true,
  validatorUrl: null,
  plugins: [keepKey],
  requestInterceptor: (request) => {
    if (new URL(request.url).pathname.endsWith("/events")) request.userFetch = followStream;
    return request;
  },
  onComplete: () => {
    const key = sessionStorage.getItem(STORED_KEY);
    if (key !== null) useKey(key);
  },
});
