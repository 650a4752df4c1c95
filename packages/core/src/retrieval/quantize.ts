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

/** Gives the cosines between a vector and stored ones of as many dimensions. */
export function cosinesWith(vector: readonly number[]): (stored: Int8Array) => number {
  const given = Float64Array.from(vector);
  const ofGiven = squareOf(given);
  return (stored) => {
    let product = 0;
    let ofStored = 0;
    // An iterator takes ten times as long.
    for (let index = 0; index < given.length; index++) {
      const one = stored[index]!;
      product += given[index]! * one;
      ofStored += one * one;
    }
    return product / Math.sqrt(ofGiven * ofStored || 1);
  };
}

function squareOf(vector: Float64Array): number {
  return vector.reduce((sum, one) => sum + one * one, 0);
}
