/** A tenth of a pixel is as fine as anybody sees; more would make a drawing of a month of hours twice as long. */
function placed(scale: 'x' | 'y', field: string, shift: number) {
  return { signal: `round(10 * scale('${scale}', datum.${field})) / 10 + ${shift}` };
}

/** Where the moment in `field` lies, and so many pixels to the right of it. */
export function atTime(field: string, shift = 0) {
  return placed('x', field, shift);
}

/** At which height the figure in `field` lies, and so many pixels below it. */
export function atValue(field: string, shift = 0) {
  return placed('y', field, shift);
}
