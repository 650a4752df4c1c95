/** Vectors as they are stored: what is compared is their direction, so each is scaled to the range of a signed byte. */

const MOST = 127;

/** A signed byte for each dimension. */
export function quantize(vector: readonly number[]): Int8Array {
  const greatest = vector.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
  return Int8Array.from(vector, (one) => Math.round((one / greatest) * MOST));
}

/** Of each dimension whether it is above zero, as PostgreSQL reads bits. */
export const signsOf = (vector: readonly number[]): string =>
  vector.map((one) => (one > 0 ? "1" : "0")).join("");

/** The cosine between a vector and a stored one of as many dimensions. */
export function cosine(vector: readonly number[], stored: Int8Array): number {
  let product = 0;
  let ofVector = 0;
  let ofStored = 0;
  for (const [index, one] of vector.entries()) {
    const other = stored[index] ?? 0;
    product += one * other;
    ofVector += one * one;
    ofStored += other * other;
  }
  return product / Math.sqrt(ofVector * ofStored || 1);
}
