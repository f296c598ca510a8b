import { randomInt, randomUUID } from 'node:crypto';
import type * as z from 'zod';
import type { Apps } from '../../functions/data-access/apps/apps.ts';
import { openTables } from '../../functions/data-access/apps/open-tables.ts';
import { postHogSchema } from '../../shared/config/posthog.ts';
import { runStatement } from './clickhouse-database.ts';

export const KEY = 'phx_a-key-that-is-never-printed';

/** An event as PostHog stores it, with defaults for all but its time. */
export interface PostHogEvent {
  readonly timestamp: string;
  readonly event?: string;
  readonly distinct_id?: string;
  readonly $session_id?: string;
  readonly elements_chain?: string;
  readonly created_at?: string;
  readonly person_id?: string;
  readonly properties?: object;
  readonly person_properties?: object;
}

const TABLE = `uuid UUID default generateUUIDv4(), event String default 'purchase', properties String default '{}',
  timestamp DateTime64(6, 'UTC'), team_id Int64, distinct_id String, elements_chain String,
  created_at DateTime64(6, 'UTC') default timestamp, "$session_id" String, person_id UUID,
  person_properties String default '{}'`;

export type PostHogInput = Partial<z.input<typeof postHogSchema>>;

export interface Project {
  readonly number: number;
  /** The configuration of an app `shop` over the project. */
  config(given?: PostHogInput): z.output<typeof postHogSchema>;
  open(given?: PostHogInput): Promise<Apps>;
}

/** A project in the double of PostHog. Of an even one, comparisons with NULL are NULL, as in ClickHouse. */
export async function postHogProject(
  { url }: { url: string },
  events: readonly PostHogEvent[],
  parity: 0 | 1 = 1,
): Promise<Project> {
  // Every file of tests has projects on the same server.
  const number = 2 * randomInt(1, 2 ** 40) + parity;
  await runStatement(url, 'create database if not exists posthog');
  await runStatement(
    url,
    `create table if not exists posthog.events (${TABLE}) engine = MergeTree order by (team_id, timestamp)`,
  );
  const rows = events.map((event) => JSON.stringify({ person_id: randomUUID(), ...event, team_id: number }));
  await runStatement(
    url,
    `insert into posthog.events settings date_time_input_format = 'best_effort', input_format_json_read_objects_as_strings = 1 format JSONEachRow\n${rows.join('\n')}`,
  );
  const config = (given?: PostHogInput) =>
    postHogSchema.parse({
      ...{ host: new URL(url).origin, project: number, keySecret: 'posthog-key' },
      // The parser of PostHog takes seconds for a long query.
      ...{ apps: { shop: { zone: 'Europe/Berlin' } }, timeoutSeconds: 300 },
      ...given,
    });
  return {
    number,
    config,
    open: (given) => openTables(config(given), { folder: '.', readSecret: async () => KEY }),
  };
}
