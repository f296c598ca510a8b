/** Every window ends on a minute of its own; small integers are found in a map several times as fast as times. */
export function minuteOf(endAt: number): number {
  return Math.floor(endAt / 60_000);
}
