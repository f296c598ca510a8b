import { type Message, SHOWN } from '../messages/message.ts';

/** Items of a digest with a picture. */
export const PICTURED = 3;

/** How much of a message is written. Headlines are always written. */
export interface Extent {
  /** Facts below the headline of a single alert. */
  facts: number;
  /** Items of a digest with links and pictures. */
  linked: number;
  /** Items of a digest with figures. */
  summarized: number;
}

/** The most of `message` that fits: facts are left out from the end, and links of later items before their figures. */
export function mostThatFits<T>(
  message: Message,
  write: (extent: Extent) => T,
  fits: (written: T) => boolean,
): T {
  const [least, ...more] = extentsOf(message);
  for (const extent of more.toReversed()) {
    const written = write(extent);
    if (fits(written)) return written;
  }
  return write(least);
}

/** From the least to everything. */
function extentsOf({ items }: Message): [Extent, ...Extent[]] {
  const least: Extent = { facts: 0, linked: 0, summarized: 0 };
  const shown = Math.min(items.length, SHOWN);
  const single = { ...least, linked: 1 };
  if (shown === 1)
    return [least, single, ...upTo(items[0]?.facts.length ?? 0).map((facts) => ({ ...single, facts }))];
  return [
    least,
    ...upTo(shown).map((summarized) => ({ ...least, summarized })),
    ...upTo(shown).map((linked) => ({ facts: 0, linked, summarized: shown })),
  ];
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i + 1);
}
