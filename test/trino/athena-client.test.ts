import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { athena, connectAthena } from '../../functions/data-access/engines/athena/client.ts';
import type { StatementClient } from '../../functions/data-access/engines/trino/engine.ts';
import { systemClock } from '../../shared/runtime/clock.ts';
import { QueryLimitError } from '../../shared/runtime/errors.ts';
import { type AthenaStandIn, startAthenaStandIn } from './athena-stand-in.ts';
import { SCHEMA } from './tables.ts';

let standIn: AthenaStandIn;
beforeAll(async () => {
  standIn = await startAthenaStandIn(inject('trino').url);
});
afterAll(() => standIn.close());

function client(timeoutMs = 25_000): StatementClient {
  const aws = connectAthena({
    endpoint: standIn.url,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'id', secretAccessKey: 'key' },
  });
  const settings = {
    ...{ workgroup: 'reads', catalog: 'AwsDataCatalog', database: SCHEMA },
    ...{ reuseMinutes: 0, timeoutMs },
  };
  return athena(aws, settings, { clock: systemClock, newToken: randomUUID });
}

/** Runs for minutes. */
const ENDLESS = `SELECT count(*) AS n FROM UNNEST(sequence(1, 10000)) a(x)
  CROSS JOIN UNNEST(sequence(1, 10000)) b(y) CROSS JOIN UNNEST(sequence(1, 10000)) c(z) WHERE x * y % 7 = z`;

test('runStatement reads cells of every type', async () => {
  const sql = `SELECT 'it''s' AS text, '' AS empty, CAST(NULL AS varchar) AS absent, NULL AS nothing, 1 AS whole,
    BIGINT '1709251200000' AS large, 1.5E-7 AS part, nan() AS nan, infinity() AS endless, true AS yes`;
  expect((await client().runStatement(sql)).rows).toEqual([
    {
      text: "it's",
      empty: '',
      absent: null,
      nothing: null,
      whole: 1,
      large: 1_709_251_200_000,
      part: 1.5e-7,
      nan: null,
      endless: null,
      yes: true,
    },
  ]);
});

test('runStatement cancels a query after the timeout', async () => {
  await expect(client(500).runStatement(ENDLESS)).rejects.toThrow(QueryLimitError);
  await expect.poll(() => standIn.states().at(-1), { timeout: 10_000 }).toBe('CANCELLED');
});

test('runStatement cancels a query when its signal aborts', async () => {
  const signal = AbortSignal.timeout(200);
  await expect(client().runStatement(ENDLESS, { signal })).rejects.toThrow('timeout');
  await expect.poll(() => standIn.states().at(-1), { timeout: 10_000 }).toBe('CANCELLED');
});
