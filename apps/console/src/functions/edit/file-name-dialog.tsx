import { useState } from "react";
import { TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";

interface FileNameDialogProps {
  /** The path of the file; empty for a new one. */
  readonly initial: string;
  /** Paths of other files. */
  readonly taken: readonly string[];
  readonly onName: (path: string) => void;
  readonly onClose: () => void;
}

/** Relative, of letters, digits, dots, hyphens and underscores; no part begins with a dot. node_modules has packages. */
const PATH = /^(?!node_modules\/)(?:[A-Za-z0-9_-][\w.-]*\/)*[A-Za-z0-9_-][\w.-]*$/;

/** Asks for the path of a file. */
export function FileNameDialog({ initial, taken, onName, onClose }: FileNameDialogProps) {
  const [path, setPath] = useState(initial);
  const [error, setError] = useState<string>();
  return (
    <FormDialog
      title={initial === "" ? "Add file" : `Rename ${initial}`}
      submit={initial === "" ? "Add" : "Rename"}
      action={{ isPending: false, error: null }}
      onClose={onClose}
      onSubmit={() => {
        if (!PATH.test(path)) setError("Enter a relative path, such as lib/money.ts");
        else if (taken.includes(path)) setError("This file already exists");
        else onName(path);
      }}
    >
      <TextField
        label="Path"
        hint="For example lib/money.ts, rates.json or letter.txt. Other files import it as ./lib/money.ts"
        autoComplete="off"
        spellCheck={false}
        error={error}
        value={path}
        onChange={(event) => setPath(event.target.value)}
      />
    </FormDialog>
  );
}
