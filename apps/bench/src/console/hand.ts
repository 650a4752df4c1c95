import type { Locator, Page } from "playwright-core";

/**
 * What a practised person takes, in seconds, by the keystroke-level model (Card, Moran and Newell 1980): to decide what is
 * next, to point at something and press, and to type a character.
 */
const PERSON = { decide: 1.35, click: 1.3, character: 0.28 };

/** What a task took of the person, and of the console. */
export interface Effort {
  readonly clicks: number;
  readonly characters: number;
  /** What the page took to answer, in seconds. */
  readonly waited: number;
  /** A person's own time and what the page took, in seconds. */
  readonly seconds: number;
}

/** A hand on a page, which counts what it does. */
export class Hand {
  readonly page: Page;
  #clicks = 0;
  #characters = 0;

  constructor(page: Page) {
    this.page = page;
  }

  /** Follows a link, also of the menu. */
  async follow(name: string | RegExp, exact = true): Promise<void> {
    await this.click(this.page.getByRole("link", { name, exact }).first());
  }

  async press(name: string | RegExp): Promise<void> {
    await this.click(this.page.getByRole("button", { name, exact: true }).first());
  }

  async click(target: Locator): Promise<void> {
    this.#clicks++;
    await target.click();
  }

  /** Clicks into a field and types; a text that is pasted counts two keys. */
  async type(target: Locator, text: string, { isPasted = false } = {}): Promise<void> {
    await this.click(target);
    this.#characters += isPasted ? 2 : text.length;
    await target.fill(text);
  }

  /** Types where the keys go already. */
  async typeHere(text: string): Promise<void> {
    this.#characters += text.length;
    await this.page.keyboard.type(text);
  }

  async key(name: string): Promise<void> {
    this.#characters += name.split("+").length;
    await this.page.keyboard.press(name);
  }

  /** Opens a list and chooses of it. */
  async choose(target: Locator, option: string): Promise<void> {
    this.#clicks += 2;
    await target.selectOption(option);
  }

  /** Opens the system's chooser of folders and chooses one. */
  async chooseFolder(target: Locator, folder: string): Promise<void> {
    this.#clicks += 3;
    await target.setInputFiles(folder);
  }

  /** Does a task, until what it is for is shown. */
  static async time(page: Page, task: (hand: Hand) => Promise<Locator>): Promise<Effort> {
    const hand = new Hand(page);
    const startedAt = performance.now();
    const shown = await task(hand);
    await shown.first().waitFor();
    const waited = (performance.now() - startedAt) / 1000;
    const clicks = hand.#clicks;
    const characters = hand.#characters;
    const decisions = clicks + (characters > 0 ? 1 : 0);
    const own = clicks * PERSON.click + characters * PERSON.character + decisions * PERSON.decide;
    return { clicks, characters, waited, seconds: own + waited };
  }
}
