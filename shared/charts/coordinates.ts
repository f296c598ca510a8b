/** Rounds to a tenth of a pixel: more digits would double the size of a chart of a month of hours. */
function placed(scale: 'x' | 'y', field: string, shift: number) {
  return { signal: `round(10 * scale('${scale}', datum.${field})) / 10 + ${shift}` };
}

/** The x position of the time in `field`, plus an offset to the right in pixels. */
export function atTime(field: string, shift = 0) {
  return placed('x', field, shift);
}

/** The y position of the value in `field`, plus an offset downwards in pixels. */
export function atValue(field: string, shift = 0) {
  return placed('y', field, shift);
}
