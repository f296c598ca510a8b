import { distance } from 'fastest-levenshtein';

/** Up to three of `known` that are most similar to `word`; empty if none is similar. */
export function nearestWords(word: string, known: readonly string[]): string[] {
  const distances = known.map((candidate) => distanceOf(word.toLowerCase(), candidate.toLowerCase()));
  const least = Math.min(...distances);
  if (least > Math.ceil(word.length * 0.4)) return [];
  return known.filter((_, i) => distances[i] === least).slice(0, 3);
}

/** The end of a sentence: `; did you mean "day"?`, or an empty text if no known word is similar. */
export function didYouMean(word: string, known: readonly string[]): string {
  const near = nearestWords(word, known).map((each) => `"${each}"`);
  return near.length > 0 ? `; did you mean ${near.join(' or ')}?` : '';
}

/** A whole word is nearer than a part of one: "country" means "country" before "device_country". */
function distanceOf(wanted: string, candidate: string): number {
  const parts = candidate.split('_').map((part) => distance(wanted, part) + 1);
  return Math.min(distance(wanted, candidate), ...parts);
}
