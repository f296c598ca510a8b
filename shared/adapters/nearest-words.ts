/** What somebody who wrote `word` may have meant: those of `known` that it is fewest typing errors away from, if few. */
export function nearestWords(word: string, known: readonly string[]): string[] {
  const distances = known.map((candidate) => distanceOf(word.toLowerCase(), candidate.toLowerCase()));
  const least = Math.min(...distances);
  if (least > Math.ceil(word.length * 0.4)) return [];
  return known.filter((_, i) => distances[i] === least).slice(0, 3);
}

/** A whole word is nearer than a part of one: "country" means "country" before "device_country". */
function distanceOf(wanted: string, candidate: string): number {
  const parts = candidate.split('_').map((part) => editDistance(wanted, part) + 1);
  return Math.min(editDistance(wanted, candidate), ...parts);
}

/** Letters to insert, remove or replace to make `b` of `a` (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] ?? 0) + (letter === b[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
