/** The minute of a window's end as a map key: small integers are several times faster than epoch milliseconds. */
export function minuteOf(endAt: number): number {
  return Math.floor(endAt / 60_000);
}
