import * as Radix from "@radix-ui/react-toast";
import { createContext, type ReactNode, useCallback, useContext, useState } from "react";
import { IconButton } from "./button.tsx";
import { Icon } from "./icon.tsx";

interface Said {
  readonly id: number;
  readonly text: string;
}

const SayContext = createContext<(text: string) => void>(() => {});

/** Returns a function that shows a message for a few seconds. */
export function useToast(): (text: string) => void {
  return useContext(SayContext);
}

/** Provides `useToast` to its children. */
export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [said, setSaid] = useState<readonly Said[]>([]);
  const say = useCallback((text: string) => {
    setSaid((before) => [...before.slice(-3), { id: (before.at(-1)?.id ?? 0) + 1, text }]);
  }, []);
  const remove = (id: number) => setSaid((before) => before.filter((one) => one.id !== id));
  return (
    <SayContext value={say}>
      <Radix.Provider duration={6000} label="Notification">
        {children}
        {said.map(({ id, text }) => (
          <Radix.Root
            key={id}
            onOpenChange={(isOpen) => !isOpen && remove(id)}
            className="flex items-center justify-between gap-3 rounded-md border border-line bg-raised py-1.5 pr-1.5 pl-4 shadow-lg"
          >
            <Radix.Description>{text}</Radix.Description>
            <Radix.Close asChild>
              <IconButton label="Dismiss" isSmall>
                <Icon name="close" />
              </IconButton>
            </Radix.Close>
          </Radix.Root>
        ))}
        <Radix.Viewport className="fixed right-4 bottom-4 z-60 grid w-80 max-w-[calc(100vw-2rem)] gap-2" />
      </Radix.Provider>
    </SayContext>
  );
}
