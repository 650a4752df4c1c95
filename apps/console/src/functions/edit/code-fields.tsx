import { ownFilesOf, packagesOf } from "@parley/schema/program-packages";
import { useState } from "react";
import { CodeEditor } from "../../editor/code-editor.tsx";
import { languageOf, type Problem } from "../../editor/problem.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { type TypesState, useTypes } from "../types/use-types.ts";
import { FileNameDialog } from "./file-name-dialog.tsx";

type Files = Readonly<Record<string, string>>;

interface CodeFieldsProps {
  readonly files: Files;
  /** Problems that the server found in a file. */
  readonly problemsOf: (path: string) => readonly Problem[] | undefined;
  readonly onChange: (files: Files) => void;
}

const notes: Readonly<Record<TypesState, string>> = {
  loading: "Loading TypeScript. Types are checked once it has loaded.",
  ready: "Types are checked as you write. Warnings do not prevent saving.",
  failed: "TypeScript could not be loaded, so types are not checked. You can still save.",
};

/** The files of a sandbox function, one of which is shown; those of its packages stay as they are. */
export function CodeFields({ files, problemsOf, onChange }: CodeFieldsProps) {
  const [chosen, setChosen] = useState<string>();
  const [naming, setNaming] = useState<"new" | "rename">();
  const { state, assistantOf } = useTypes(files);
  const paths = Object.keys(ownFilesOf(files)).toSorted();
  const packages = packagesOf(files).map(({ name, version, license }) =>
    [name, version, license && `(${license})`].filter((part) => part !== "").join(" "),
  );
  const shown = chosen !== undefined && paths.includes(chosen) ? chosen : (paths[0] ?? "");
  const text = files[shown] ?? "";
  const { [shown]: _shown, ...others } = files;
  const language = languageOf(shown);
  const hasTypes = language === "typescript" || language === "javascript";
  return (
    <fieldset className="grid min-w-0 gap-3">
      <legend className="mb-1 font-medium">Code</legend>
      <div className="flex flex-wrap gap-2">
        <Button isSmall onClick={() => setNaming("new")}>
          <Icon name="plus" />
          Add file
        </Button>
        <Button isSmall onClick={() => setNaming("rename")}>
          Rename {shown}
        </Button>
        {paths.length > 1 && (
          <Button isSmall onClick={() => onChange(others)}>
            Remove {shown}
          </Button>
        )}
      </div>
      <Tabs
        label="Files"
        tabs={Object.fromEntries(paths.map((path) => [path, path]))}
        value={shown}
        onChange={setChosen}
      >
        <CodeEditor
          label={`Code of ${shown}`}
          hidesLabel
          language={language}
          initial={text}
          onChange={(next) => onChange({ ...files, [shown]: next })}
          problems={problemsOf(shown)}
          assistant={hasTypes && state !== "failed" ? assistantOf(shown) : undefined}
        />
      </Tabs>
      <p role="status" className="text-sm text-muted">
        {notes[state]} The entry point is the default export of index.ts or index.js. Tab indents;
        press Esc, then Tab, to leave the editor.
      </p>
      {packages.length > 0 && (
        <p className="text-sm text-muted">
          npm packages, which parley functions push changes: {packages.join(", ")}
        </p>
      )}
      {naming !== undefined && (
        <FileNameDialog
          initial={naming === "new" ? "" : shown}
          taken={naming === "new" ? paths : Object.keys(others)}
          onClose={() => setNaming(undefined)}
          onName={(path) => {
            onChange(naming === "new" ? { ...files, [path]: "" } : { ...others, [path]: text });
            setChosen(path);
            setNaming(undefined);
          }}
        />
      )}
    </fieldset>
  );
}
