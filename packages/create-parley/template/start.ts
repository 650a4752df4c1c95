import { servePage } from "./page.ts";
import { startParley } from "./parley.ts";

const port = Number(process.env["PORT"] ?? 8080);
const parley = await startParley({
  PARLEY_CORS_ORIGINS: `http://localhost:${port},http://127.0.0.1:${port}`,
});
await servePage(parley, port);
console.log(`Chat with the clerk: http://localhost:${port}`);
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, async () => {
    await parley.stop();
    process.exit();
  });
}
