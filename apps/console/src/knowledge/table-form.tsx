import { useMutation } from "@tanstack/react-query";
import type { Output } from "parley-client";
import { useState } from "react";
import { trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { TextArea, TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";

/** Maximum number of characters of a table. */
const MAX_CHARACTERS = 4 * 1024 * 1024;

interface TableFormProps {
  readonly dataSourceId: string;
  readonly onUpload: (table: Output<"tables.get">["table"]) => void;
  readonly onClose: () => void;
}

/** Uploads a CSV file as a table. */
export function TableForm({ dataSourceId, onUpload, onClose }: TableFormProps) {
  const wId = useWorkspaceId();
  const [name, setName] = useState("");
  const [csv, setCsv] = useState<string>();
  const [fault, setFault] = useState<string>();
  const uploading = useMutation(
    trpc.tables.uploadCsv.mutationOptions({ onSuccess: ({ table }) => onUpload(table) }),
  );
  const read = async (file: File | undefined) => {
    setCsv(undefined);
    setFault(undefined);
    if (file === undefined) return;
    const content = file.size > MAX_CHARACTERS * 4 ? undefined : await file.text();
    if (content === undefined || content.length > MAX_CHARACTERS) {
      setFault(`A table can have at most ${MAX_CHARACTERS} characters`);
    } else if (content.includes("\u0000") || content.includes("\uFFFD")) {
      setFault(`${file.name} is not UTF-8 text`);
    } else {
      setCsv(content);
      if (name === "") setName(file.name.replace(/\.csv$/i, ""));
    }
  };
  return (
    <FormDialog
      title="Upload table"
      description="Replaces the rows of any table with the same id. The first line has the names of the columns."
      submit="Upload"
      action={uploading}
      onSubmit={(form) => {
        if (csv === undefined) return setFault("Choose a CSV file");
        const tags = String(form.get("tags")).split(",");
        uploading.mutate({
          wId,
          dsId: dataSourceId,
          table_id: name,
          name,
          title: String(form.get("title")),
          description: String(form.get("description")),
          tags: tags.map((tag) => tag.trim()).filter((tag) => tag !== ""),
          csv,
        });
      }}
      onClose={onClose}
    >
      <TextField
        label="CSV file"
        type="file"
        accept=".csv,text/csv"
        error={fault}
        onChange={(event) => void read(event.target.files?.[0])}
      />
      <TextField
        label="Id"
        required
        maxLength={255}
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField label="Title" name="title" maxLength={512} autoComplete="off" />
      <TextArea
        label="Description"
        name="description"
        rows={2}
        maxLength={2048}
        hint="What the rows are, for agents."
      />
      <TextField label="Tags" name="tags" autoComplete="off" hint="Comma-separated." />
    </FormDialog>
  );
}
