import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { trpc } from "../api/clients.ts";
import { useParley } from "../api/use-session.ts";
import { TextArea, TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";

/** Maximum number of characters of a document. */
const MAX_CHARACTERS = 512 * 1024;

interface UploadFormProps {
  readonly dataSourceId: string;
  readonly onUpload: (title: string) => void;
  readonly onClose: () => void;
}

/** Uploads a text that is typed, pasted or loaded from a file. */
export function UploadForm({ dataSourceId, onUpload, onClose }: UploadFormProps) {
  const parley = useParley();
  const [documentId, setDocumentId] = useState("");
  const [title, setTitle] = useState("");
  const [text, setText] = useState("");
  const [fault, setFault] = useState<string>();
  const uploading = useMutation({
    mutationKey: trpc.documents.pathKey(),
    mutationFn: async (form: FormData) => {
      const tags = String(form.get("tags")).split(",");
      return parley.documents.upsert({
        dsId: dataSourceId,
        documentId,
        title: title === "" ? documentId : title,
        text,
        tags: tags.map((tag) => tag.trim()).filter((tag) => tag !== ""),
        light_document_output: true,
      });
    },
    onSuccess: () => onUpload(title === "" ? documentId : title),
  });
  const read = async (file: File | undefined) => {
    if (file === undefined) return;
    const isTooLong = file.size > MAX_CHARACTERS * 4;
    const content = isTooLong ? "" : await file.text();
    const isText = !content.includes("\u0000") && !content.includes("\uFFFD");
    setFault(
      isTooLong || content.length > MAX_CHARACTERS
        ? `A document can have at most ${MAX_CHARACTERS} characters`
        : isText
          ? undefined
          : `${file.name} is not UTF-8 text`,
    );
    if (isTooLong || !isText) return;
    setText(content);
    if (documentId === "") setDocumentId(file.name);
    if (title === "") setTitle(file.name);
  };
  return (
    <FormDialog
      title="Upload text"
      description="Replaces any document with the same id."
      submit="Upload"
      action={uploading}
      onSubmit={(form) => uploading.mutate(form)}
      onClose={onClose}
    >
      <TextField
        label="Load from file"
        type="file"
        error={fault}
        onChange={(event) => void read(event.target.files?.[0])}
      />
      <TextField
        label="Id"
        required
        maxLength={255}
        autoComplete="off"
        value={documentId}
        onChange={(event) => setDocumentId(event.target.value)}
      />
      <TextField
        label="Title"
        maxLength={512}
        autoComplete="off"
        value={title}
        onChange={(event) => setTitle(event.target.value)}
      />
      <TextArea
        label="Text"
        required
        rows={8}
        maxLength={MAX_CHARACTERS}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <TextField label="Tags" name="tags" autoComplete="off" hint="Comma-separated." />
    </FormDialog>
  );
}
