import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { event, type Sample, sample, session } from '../functions/data-access/sample-app.ts';

/** A request that the vendor of the interface publishes as an example. `refusedAt`: the place that its refusal names. */
const publishedSchema = z.strictObject({
  path: z.string(),
  refusedAt: z.string().optional(),
  request: z.record(z.string(), z.unknown()),
});

// The distinct ones of its Postman collection and its pages. Credentials are left out; `svcuserid` has another name there.
const published = readFileSync('test/fixtures/published-requests.jsonl', 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => publishedSchema.parse(JSON.parse(line)));
const refused = published.filter(({ refusedAt }) => refusedAt !== undefined);
const answered = published.filter(({ refusedAt }) => refusedAt === undefined);

let shop: Sample;
beforeAll(async () => {
  const one = session({
    platform: 'android',
    country: 'USA',
    device_manufacturer: 'Samsung',
    app_version: '1.5',
  });
  const added = event(one, { event_name: 'Add to cart', properties: { price: 12, payment_method: 'Cash' } });
  shop = await sample({ sessions: [one], events: [added] });
});
afterAll(() => shop.close());

const ask = ({ path, request }: z.output<typeof publishedSchema>) =>
  path.startsWith('/v2') ? shop.get(path, request) : shop.post(path, request);

describe('a published request', () => {
  test.each(answered)('$path $request is answered', async (each) => {
    const { status, body } = await ask(each);
    expect([status, body.error?.message]).toEqual([200, undefined]);
  });

  test.each(refused)('$path $request is refused at $refusedAt', async (each) => {
    const { status, body } = await ask(each);
    expect([status, body.error?.details?.[0]?.path]).toEqual([400, each.refusedAt]);
  });

  test('is counted in the documents', () => {
    const page = readFileSync('docs/reference/data-access.md', 'utf8');
    const [, counted, all] = /(\d+) of the (\d+) requests/.exec(page) ?? [];
    expect([counted, all].map(Number)).toEqual([answered.length, published.length]);
  });
});
