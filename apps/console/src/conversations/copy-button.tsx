import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { useToast } from "../ui/toast.tsx";

/** Copies a text as it was written: an answer with its Markdown. */
export function CopyButton({ text }: { readonly text: string }) {
  const say = useToast();
  const copy = async () =>
    navigator.clipboard.writeText(text).then(
      () => say("Copied"),
      () => say("The browser blocked copying"),
    );
  return (
    <Button isSmall variant="ghost" onClick={() => void copy()}>
      <Icon name="copy" />
      Copy
    </Button>
  );
}
