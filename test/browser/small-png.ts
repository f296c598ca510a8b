import { crc32, deflateSync } from 'node:zlib';

/** Pixels as a canvas holds them: four bytes each, red, green, blue and alpha, row by row. */
export interface Pixels {
  width: number;
  height: number;
  rgba: Uint8Array;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MOST_COLOURS = 256;

/**
 * An opaque PNG with the 256 most frequent colours; every other one becomes the nearest of them. It is a fourth of the
 * size of a screenshot with all colours, and looks the same: the rare colours are the edges of letters.
 */
export function smallPng({ width, height, rgba }: Pixels): Buffer {
  const counts = new Map<number, number>();
  for (let i = 0; i < rgba.length; i += 4) {
    const colour = colourAt(rgba, i);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const byCount = [...counts].sort(([, a], [, b]) => b - a).map(([colour]) => colour);
  const palette = byCount.slice(0, MOST_COLOURS);
  const indexOf = new Map(byCount.map((colour) => [colour, nearestIn(palette, colour)]));
  // Each row begins with the number of its filter: 0 is none, which suits a palette.
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      rows[y * (width + 1) + 1 + x] = indexOf.get(colourAt(rgba, 4 * (y * width + x))) ?? 0;

  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits for each pixel, which are the index of a colour.
  header.set([8, 3], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap(partsOf))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function colourAt(rgba: Uint8Array, i: number): number {
  return ((rgba[i] ?? 0) << 16) | ((rgba[i + 1] ?? 0) << 8) | (rgba[i + 2] ?? 0);
}

function partsOf(colour: number): [number, number, number] {
  return [colour >> 16, (colour >> 8) & 0xff, colour & 0xff];
}

function nearestIn(palette: readonly number[], colour: number): number {
  const [red, green, blue] = partsOf(colour);
  const distances = palette.map((other) => {
    const [r, g, b] = partsOf(other);
    return (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
  });
  return distances.indexOf(Math.min(...distances));
}

/** Length, type, data and checksum. */
function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
