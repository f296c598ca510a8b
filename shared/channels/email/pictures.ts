import { buffer } from 'node:stream/consumers';
import type { Message } from '../../messages/message.ts';
import { PICTURED } from '../chat-layout.ts';

const LIMITS = { bytes: 1024 * 1024, timeoutMs: 5000 } as const;
const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** PNG files by the address of the picture. */
export type Pictures = ReadonlyMap<string, Buffer>;

/**
 * Fetches the pictures of the first items. Mail is read late, offline and without remote images, so it holds its
 * pictures. Those that cannot be fetched are counted as `missing`.
 */
export async function fetchPictures(
  { items }: Message,
  fetchFrom: typeof fetch,
): Promise<{ pictures: Pictures; missing: number }> {
  const urls = items.slice(0, PICTURED).flatMap(({ links }) => links?.picture?.url ?? []);
  const fetched = await Promise.all(
    urls.map(async (url) => [url, await pngAt(url, fetchFrom).catch(() => undefined)] as const),
  );
  const pictures = new Map(fetched.flatMap(([url, png]) => (png ? [[url, png] as const] : [])));
  return { pictures, missing: new Set(urls).size - pictures.size };
}

async function pngAt(url: string, fetchFrom: typeof fetch): Promise<Buffer | undefined> {
  const response = await fetchFrom(url, { redirect: 'error', signal: AbortSignal.timeout(LIMITS.timeoutMs) });
  const length = Number(response.headers.get('content-length') ?? 0);
  if (!response.ok || !response.body || length > LIMITS.bytes) {
    await response.body?.cancel();
    return undefined;
  }
  const png = await buffer(response.body);
  return png.length <= LIMITS.bytes && png.subarray(0, PNG.length).equals(PNG) ? png : undefined;
}
