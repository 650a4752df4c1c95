import { type ReactNode, useRef } from "react";
import { IconButton } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { useToast } from "./toast.tsx";

/** Code that scrolls within itself, and can be copied. */
export function CodeBlock({
  children,
  label = "Code",
}: {
  readonly children: ReactNode;
  readonly label?: string;
}) {
  const code = useRef<HTMLPreElement>(null);
  const say = useToast();
  const copy = async () => {
    const text = code.current?.textContent ?? "";
    await navigator.clipboard.writeText(text).then(
      () => say("Copied"),
      () => say("The browser blocked copying"),
    );
  };
  return (
    <div className="relative rounded-md border border-line bg-surface">
      <pre
        ref={code}
        role="group"
        aria-label={label}
        tabIndex={0}
        className="max-h-[32rem] overflow-auto p-3 pr-12 font-mono text-sm [overflow-wrap:normal]"
      >
        {children}
      </pre>
      <IconButton
        label="Copy"
        isSmall
        className="absolute top-1 right-1 bg-surface"
        onClick={() => void copy()}
      >
        <Icon name="copy" />
      </IconButton>
    </div>
  );
}

/** A value as JSON, for people to read. */
export function JsonBlock({ value, label }: { readonly value: unknown; readonly label?: string }) {
  return (
    <CodeBlock {...(label !== undefined && { label })}>
      <code>{JSON.stringify(value, null, 2) ?? "undefined"}</code>
    </CodeBlock>
  );
}
