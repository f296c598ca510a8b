import { distance } from 'fastest-levenshtein';

/** What somebody who wrote `word` may have meant: those of `known` that it is fewest typing errors away from, if few. */
export function nearestWords(word: string, known: readonly string[]): string[] {
  const distances = known.map((candidate) => distanceOf(word.toLowerCase(), candidate.toLowerCase()));
  const least = Math.min(...distances);
  if (least > Math.ceil(word.length * 0.4)) return [];
  return known.filter((_, i) => distances[i] === least).slice(0, 3);
}

/** A sentence's end that names them: `; did you mean "day"?`, or nothing where none is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  const near = nearestWords(word, known).map((each) => `"${each}"`);
  return near.length > 0 ? `; did you mean ${near.join(' or ')}?` : '';
}

/** A whole word is nearer than a part of one: "country" means "country" before "device_country". */
function distanceOf(wanted: string, candidate: string): number {
  const parts = candidate.split('_').map((part) => distance(wanted, part) + 1);
  return Math.min(distance(wanted, candidate), ...parts);
}
