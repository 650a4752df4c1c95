/** Widths of columns that are at most `room` together: the widest are narrowed, none below `least`. */
export function fitWidths(wanted: readonly number[], room: number, least: number): number[] {
  const widths = [...wanted];
  const total = (): number => widths.reduce((sum, width) => sum + width, 0);
  while (total() > room) {
    const widest = Math.max(...widths);
    if (widest <= least) break;
    widths[widths.indexOf(widest)] = widest - 1;
  }
  return widths;
}
