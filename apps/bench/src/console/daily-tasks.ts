import type { Locator } from "playwright-core";
import type { Hand } from "./hand.ts";
import type { Given } from "./fill-tasks.ts";

/** What people do each day, from the first page of the console until what they wanted is shown. */
export const dailyTasks: Readonly<Record<string, (hand: Hand, given: Given) => Promise<Locator>>> =
  {
    "talk to an agent": async (hand) => {
      const { page } = hand;
      await hand.follow("New conversation");
      await hand.click(page.getByRole("button", { name: /^Agents/ }));
      await hand.click(page.getByRole("menuitemcheckbox", { name: "helper" }));
      await hand.key("Escape");
      await hand.type(page.getByRole("textbox", { name: "Message" }), "Hello");
      await hand.press("Send");
      return page.getByText("You said: Hello");
    },
    "approve a call": async (hand) => {
      await hand.follow(/^Approvals/, false);
      await hand.press("Approve");
      return hand.page.getByText("Nothing needs your attention");
    },
    "find a failed run and rerun it": async (hand) => {
      const { page } = hand;
      await hand.follow("Runs");
      await hand.choose(page.getByRole("combobox", { name: "Status" }), "Failed");
      await hand.click(page.getByRole("checkbox", { name: /^Select broken/ }));
      await hand.press("Rerun (1)");
      return page.getByText("1 run started");
    },
    "mend a function": async (hand, { mended }) => {
      const { page } = hand;
      await hand.follow("Functions");
      await hand.follow("greet");
      await hand.click(page.getByRole("tab", { name: "Edit" }));
      await page.getByText("Types are checked as you write").waitFor();
      const code = page.getByRole("textbox", { name: "Code of index.ts", exact: true });
      await hand.click(code);
      await hand.key("ControlOrMeta+a");
      await page.keyboard.press("Delete");
      await page.keyboard.insertText(mended);
      await hand.press("Save version");
      return page.getByText("Saved as version 2");
    },
    "import a skill": async (hand, { skillFolder }) => {
      const { page } = hand;
      await hand.follow("Skills");
      await hand.follow("Import");
      await hand.chooseFolder(page.locator("input[webkitdirectory]"), skillFolder);
      await hand.press("Import");
      return page.getByRole("link", { name: "greeting" });
    },
    "register a tool": async (hand, { toolUrl, key }) => {
      const { page } = hand;
      await hand.follow("Tools");
      await hand.follow("Register server");
      await hand.type(page.getByLabel("URL"), toolUrl, { isPasted: true });
      await hand.type(page.getByRole("textbox", { name: "Name" }), "Parley");
      await hand.choose(page.getByLabel("Authentication"), "Headers");
      const header = `Authorization: Bearer ${key}`;
      await hand.type(page.getByLabel("Headers"), header, { isPasted: true });
      await hand.press("Register");
      return page.getByRole("heading", { name: "Parley", exact: true });
    },
    "create a key": async (hand) => {
      const { page } = hand;
      await hand.follow("Keys");
      await hand.press("Create key");
      await hand.type(page.getByRole("textbox", { name: "Name" }).last(), "backend");
      await hand.press("Create");
      return page.getByRole("heading", { name: "New key: backend" });
    },
    "read what was spent": async (hand) => {
      await hand.follow("Usage");
      return hand.page.getByRole("img", { name: /^Cost by day/ });
    },
    "read who changed something": async (hand) => {
      await hand.follow("Audit log");
      return hand.page.getByRole("row").filter({ hasText: "sandboxFunctions.create" });
    },
    "find what was said": async (hand, { word }) => {
      const { page } = hand;
      await hand.key("ControlOrMeta+k");
      await page.getByRole("combobox", { name: "Search", exact: true }).waitFor();
      await hand.typeHere(word);
      await hand.click(page.getByRole("option", { name: /^Messages with/ }));
      await hand.click(page.getByRole("list", { name: "Messages" }).getByRole("link"));
      return page.getByRole("article").getByText(word);
    },
  };
