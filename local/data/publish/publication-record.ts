import * as z from 'zod';
import { LAYOUT_VERSION } from '../../../shared/contract/tables.ts';
import type { Lake, Stored } from './lake.ts';

/**
 * What the published files hold: by the folder of a day, the digest of its rows and its files. A file with another
 * `tag` has been written since, and nothing is known about it.
 */
const publicationSchema = z.record(
  z.string(),
  z.object({
    digest: z.string(),
    files: z.array(z.object({ tag: z.string(), digest: z.string() })),
  }),
);
export type PublishedDay = z.infer<typeof publicationSchema>[string];

/** The record of an app's publication. It only saves work: without it, a publication compares each file. */
export interface PublicationRecord {
  readonly days: ReadonlyMap<string, PublishedDay>;
  save(days: ReadonlyMap<string, PublishedDay>): Promise<void>;
}

/** Reads the record. A missing or damaged one is empty. */
export async function openRecord(lake: Lake, app: string): Promise<PublicationRecord> {
  const key = `v${LAYOUT_VERSION}/published/app_id=${app}.json`;
  const found = await lake.read(key);
  let text = Buffer.from(found?.content ?? []).toString();
  let stored: Stored | undefined = found?.stored;
  return {
    days: new Map(Object.entries(parsed(text))),
    async save(days) {
      const now = JSON.stringify(Object.fromEntries([...days].sort(([a], [b]) => (a < b ? -1 : 1))));
      if (now === text) return;
      stored = await lake.put(key, Buffer.from(now), stored);
      text = now;
    },
  };
}

function parsed(text: string): z.infer<typeof publicationSchema> {
  try {
    return publicationSchema.parse(JSON.parse(text));
  } catch {
    return {};
  }
}
