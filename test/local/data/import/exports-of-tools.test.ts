import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEventFile } from '../../../../local/data/import/event-file.ts';
import { parseMapping } from '../../../../local/data/import/fields.ts';
import { proposeMapping } from '../../../../local/data/import/propose-mapping.ts';
import { sampleOf } from '../../../../local/data/import/sample.ts';
import { temporaryFolder } from '../../../fixtures/deltawatch.ts';

/** An event in the documented form of an export, and the columns that need no `--map`. */
const EXPORTS: { tool: string; event: object; mapped: object; time: string }[] = [
  {
    tool: 'a batch export of PostHog',
    event: {
      ...{
        uuid: '0195-1',
        event: 'order',
        distinct_id: 'u-17',
        timestamp: '2026-03-02T08:14:03.000000Z',
        team_id: 1,
      },
      ...{
        person_id: '0190-2',
        person_properties: { plan: 'pro' },
        created_at: '2026-03-02T08:14:09.000000Z',
      },
      properties: {
        ...{ $os: 'Android', $app_version: '5.2.0', $session_id: '0195-3', $screen_name: 'Cart' },
        ...{ $geoip_country_name: 'Germany', $geoip_city_name: 'Berlin', price: 12.5 },
      },
    },
    mapped: {
      ...{ event_id: 'uuid', event_name: 'event', user_id: 'distinct_id', recorded_at: 'timestamp' },
      ...{
        properties: undefined,
        user_properties: 'person_properties',
        session_id: 'properties.$session_id',
      },
      ...{ os_name: 'properties.$os', platform: 'properties.$os', app_version: 'properties.$app_version' },
      ...{ country: 'properties.$geoip_country_name', city: 'properties.$geoip_city_name' },
      screen_name: 'properties.$screen_name',
    },
    time: 'iso',
  },
  {
    tool: 'the export API of Amplitude',
    event: {
      ...{ event_type: 'order', event_time: '2026-03-02 08:14:03.123000', user_id: 'u-17', device_id: 'd-1' },
      ...{ $insert_id: 'i-1', session_id: 1772439000000, platform: 'Android', version_name: '5.2.0' },
      ...{
        country: 'Germany',
        city: 'Berlin',
        event_properties: { price: 12.5 },
        user_properties: { plan: 'pro' },
      },
    },
    mapped: {
      ...{ event_id: '$insert_id', event_name: 'event_type', recorded_at: 'event_time' },
      ...{ properties: 'event_properties', app_version: 'version_name' },
    },
    time: 'iso',
  },
  {
    tool: 'the raw export of Mixpanel',
    event: {
      event: 'order',
      properties: {
        ...{ time: 1772439243, distinct_id: 'u-17', $insert_id: 'i-1', $os: 'iOS', price: 12.5 },
        ...{ $app_version_string: '5.2.0', $city: 'Berlin', mp_country_code: 'DE' },
      },
    },
    mapped: {
      ...{ event_name: 'event', user_id: 'properties.distinct_id', recorded_at: 'properties.time' },
      ...{ event_id: 'properties.$insert_id', os_name: 'properties.$os', platform: 'properties.$os' },
      ...{ app_version: 'properties.$app_version_string', city: 'properties.$city' },
      country: 'properties.mp_country_code',
    },
    time: 'unix',
  },
  {
    tool: 'a raw file of Segment',
    event: {
      ...{
        type: 'track',
        event: 'order',
        userId: 'u-17',
        messageId: 'm-1',
        timestamp: '2026-03-02T08:14:03Z',
      },
      context: {
        app: { version: '5.2.0' },
        os: { name: 'iOS', version: '19' },
        device: { model: 'iPhone17,1' },
      },
      properties: { price: 12.5 },
    },
    mapped: {
      ...{ event_name: 'event', user_id: 'userId', recorded_at: 'timestamp', event_id: 'messageId' },
      ...{ app_version: 'context.app.version', os_name: 'context.os.name', platform: 'context.os.name' },
      ...{ os_version: 'context.os.version', device_model: 'context.device.model' },
    },
    time: 'iso',
  },
];

test.each(EXPORTS)('$tool needs no mapping', async ({ event, mapped, time }) => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'export.json');
  await writeFile(file, `${JSON.stringify(event)}\n`);
  const sample = await sampleOf(await openEventFile(file, 'ndjson'));
  const { mapping, missing, timeFormat } = proposeMapping(sample, parseMapping([], []));
  const { properties: _, ...columns } = Object.fromEntries(mapping.columns);
  const { properties: __, ...expected } = Object(mapped);
  expect({ missing, timeFormat, columns }).toMatchObject({
    missing: [],
    timeFormat: time,
    columns: expected,
  });
});
