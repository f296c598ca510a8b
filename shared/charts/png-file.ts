import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const BITS_PER_CHANNEL = 8;
const TRUE_COLOUR = 2;

/**
 * A PNG of opaque RGBA pixels. Rows are not filtered: that makes photographs larger, but charts a third smaller.
 */
export function pngFile(pixels: Uint8Array, width: number, height: number): Buffer {
  const rows = Buffer.alloc((3 * width + 1) * height);
  let to = 0;
  for (let from = 0; from < pixels.length; from += 4) {
    // Every row begins with its filter: 0, none.
    if (from % (4 * width) === 0) to++;
    rows.set(pixels.subarray(from, from + 3), to);
    to += 3;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([BITS_PER_CHANNEL, TRUE_COLOUR], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(kind: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), content]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
