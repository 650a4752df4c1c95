import { useMutation } from "@tanstack/react-query";
import type { Skill } from "parley-client";
import { useParley } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { saveFile } from "../ui/save-file.ts";
import { useToast } from "../ui/toast.tsx";

/** A button that downloads a skill as a zip that can be imported. */
export function ExportSkill({ skill: { sId, name } }: { readonly skill: Skill }) {
  const parley = useParley();
  const say = useToast();
  const exporting = useMutation({
    mutationFn: async () => saveFile(await parley.skills.export({ skillId: sId }), `${name}.zip`),
    onError: (error) => say(`${name} could not be exported: ${error.message}`),
  });
  return (
    <Button isBusy={exporting.isPending} onClick={() => exporting.mutate()}>
      Export
    </Button>
  );
}
