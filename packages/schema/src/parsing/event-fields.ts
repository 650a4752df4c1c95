import * as z from "zod";
import { Milliseconds } from "./text.ts";

/** The discriminator of an event. */
export const eventType = <T extends string>(name: T) => z.literal(name).describe("Kind of event");

export const created = Milliseconds.describe("When it happened");
