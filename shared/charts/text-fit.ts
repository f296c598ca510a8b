import { lazy } from '../units/lazy.ts';

/** Widths of letters of DejaVu Sans, relative to the font size. It is wide: what fits in it fits in other fonts. */
const WIDTHS: [RegExp, number][] = [
  [/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}]/u, 1.1],
  [/[mMW@%…]/u, 1],
  [/[wOQGDNHU&]/u, 0.82],
  [/\p{Lu}/u, 0.7],
  [/[ .,:;'|!ijlI]/u, 0.34],
  [/[ftr()[\]/-]/u, 0.42],
];
const USUAL_WIDTH = 0.63;

/** How much wider bold letters are. */
export const BOLD = 1.12;

const GRAPHEMES = lazy(() => new Intl.Segmenter('en', { granularity: 'grapheme' }));

/** The estimated width of the text in pixels, rather too large than too small. */
export function widthOf(text: string, fontSize: number): number {
  const letters = [...GRAPHEMES().segment(text)].map(({ segment }) => emOf(segment));
  return letters.reduce((sum, em) => sum + em, 0) * fontSize;
}

function emOf(letter: string): number {
  return WIDTHS.find(([letters]) => letters.test(letter))?.[1] ?? USUAL_WIDTH;
}

/** The cut text followed by `end`. `end` is also cut if it takes more than half of the width. */
export function cutBefore(end: string, width: number, text: string, fontSize: number): string {
  const fitted = cutTo(width / 2, end, fontSize);
  return `${cutTo(width - widthOf(fitted, fontSize), text, fontSize)}${fitted}`;
}

/** The text in one line of at most `width` pixels, cut with "…" if it is longer. */
export function cutTo(width: number, text: string, fontSize: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (widthOf(line, fontSize) <= width) return line;
  let left = width - widthOf('…', fontSize);
  let kept = '';
  for (const { segment } of GRAPHEMES().segment(line)) {
    left -= emOf(segment) * fontSize;
    if (left < 0) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/** Whether DejaVu Sans has the letter. */
const KNOWN =
  /^(?:[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Armenian}\p{Script=Georgian}\p{M}]|(?![\p{Emoji_Presentation}\p{L}\p{Extended_Pictographic}])[\p{Script=Common}\p{Script=Inherited}])+$/u;

/** The text with "…" for characters that the bundled font lacks, which would be drawn as boxes. */
export function drawable(text: string): string {
  const letters = [...GRAPHEMES().segment(text)].map(({ segment }) => (KNOWN.test(segment) ? segment : '…'));
  return letters.join('').replace(/…+/g, '…');
}
