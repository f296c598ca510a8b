import { readFileSync } from 'node:fs';
import { isErrorCode } from '../runtime/errors.ts';

/**
 * A warning if the newest writes of a table are lost, to ask for before the table is opened: SQLite drops a damaged log from
 * the damage on, without a word, and a missing one too. Its index, which a killed process leaves, tells how long the log
 * was. The format: https://www.sqlite.org/walformat.html
 */
export function lostWrites(path: string): string | undefined {
  const index = bytesOf(`${path}-shm`, 100);
  const log = bytesOf(`${path}-wal`);
  // A process that has the table open changes both.
  if (index.length < 100 || !index.equals(bytesOf(`${path}-shm`, 100))) return undefined;
  const [committed, copied] = [index.readUInt32LE(16), index.readUInt32LE(96)];
  const isGone = log.length === 0;
  if (isGone ? committed <= copied : committed <= readablePages(log)) return undefined;
  return `the log ${path}-wal is ${isGone ? 'gone' : 'damaged'}, so the newest writes of the table are lost: check the last answers and silences, or restore a backup; windows are evaluated again`;
}

const [LOG_HEADER, PAGE_HEADER] = [32, 24];

/** The pages from the beginning of the log that SQLite can read: each has the checksum of all before. */
function readablePages(log: Buffer): number {
  const header = log.subarray(0, LOG_HEADER);
  const sums: Sums = [0, 0];
  if (header.length < LOG_HEADER || !hasSums(header, add(sums, header.subarray(0, 24)), 24)) return 0;
  const salts = header.subarray(16, 24);
  const length = PAGE_HEADER + header.readUInt32BE(8);
  for (let pages = 0; ; pages++) {
    const at = LOG_HEADER + pages * length;
    const page = log.subarray(at, at + length);
    if (page.length < length || !page.subarray(8, 16).equals(salts)) return pages;
    add(add(sums, page.subarray(0, 8)), page.subarray(PAGE_HEADER));
    if (!hasSums(page, sums, 16)) return pages;
  }
}

type Sums = [number, number];

/** In the byte order of x64 and Arm. */
function add(sums: Sums, bytes: Buffer): Sums {
  let [a, b] = sums;
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + bytes.readUInt32LE(at) + b) >>> 0;
    b = (b + bytes.readUInt32LE(at + 4) + a) >>> 0;
  }
  return Object.assign(sums, [a, b]);
}

function hasSums(bytes: Buffer, [a, b]: Sums, at: number): boolean {
  return bytes.readUInt32BE(at) === a && bytes.readUInt32BE(at + 4) === b;
}

/** Empty without such a file. */
function bytesOf(path: string, atMost?: number): Buffer {
  try {
    return readFileSync(path).subarray(0, atMost);
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return Buffer.alloc(0);
    throw error;
  }
}
