import * as z from "zod";

/** An amount of money of a request: a decimal number, to a thousand-millionth of the currency's unit. */
export const Amount = z
  .string()
  .regex(/^\d{1,9}(?:\.\d{1,9})?$/, {
    error:
      'must be a decimal number in a string, such as "12.5": at most 9 digits before the point and 9 after it, and no sign',
  })
  .meta({ example: "12.5" });

/** An amount of money of a response; sums may have more digits before the point than a request. */
export const PaidAmount = z.string().meta({ example: "12.5" });

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));

/** Code of a currency, as in ISO 4217. */
export const Currency = z
  .string()
  .refine((code) => currencies.has(code), {
    error: "must be the code of a currency in ISO 4217, such as USD",
  })
  .meta({ example: "USD" });
