import { useMutation } from "@tanstack/react-query";
import { useParley } from "../api/use-session.ts";
import { Button } from "./button.tsx";
import { saveFile } from "./save-file.ts";
import { useToast } from "./toast.tsx";

/** A button that saves a file of the workspace. */
export function Download({
  fileId,
  fileName,
}: {
  readonly fileId: string;
  readonly fileName: string;
}) {
  const parley = useParley();
  const say = useToast();
  const download = useMutation({
    mutationFn: async () => saveFile(await parley.files.get({ fileId }), fileName),
    onError: (error) => say(`${fileName} could not be downloaded: ${error.message}`),
  });
  return (
    <Button isSmall of={fileName} isBusy={download.isPending} onClick={() => download.mutate()}>
      Download
    </Button>
  );
}
