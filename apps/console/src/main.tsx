import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "./api/query-client.ts";
import { router } from "./app/router.ts";
import { density, theme } from "./ui/theme.ts";
import { AwayNotice } from "./ui/lazy-page.tsx";
import { ToastProvider } from "./ui/toast.tsx";

theme.apply();
density.apply();

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no element #root");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <ToastProvider>
        <RouterProvider router={router} />
        <AwayNotice />
      </ToastProvider>
    </QueryClientProvider>
  </StrictMode>,
);
