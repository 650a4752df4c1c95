import { type ComponentProps, lazy, Suspense } from "react";
import { Skeleton } from "../ui/skeleton.tsx";

const CodeView = lazy(async () => ({ default: (await import("./code-view.tsx")).CodeView }));

/** An editor of code or prose, which is loaded when it is first shown. Another label or language begins it again. */
export function CodeEditor(props: ComponentProps<typeof CodeView>) {
  return (
    <Suspense fallback={<Skeleton label={`the editor of “${props.label}”`} lines={6} />}>
      <CodeView key={`${props.label} ${props.language}`} {...props} />
    </Suspense>
  );
}
