import { describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../../../functions/data-access/endpoints/endpoints.ts';
import { COUNTS, NUMBERS } from '../../../../shared/contract/aggregations.ts';
import { ATTRIBUTES, type AttributeType, isAttributeName } from '../../../../shared/contract/attributes.ts';
import { OPERATORS, type Operator } from '../../../../shared/contract/filters.ts';
import { OPERATIONS } from '../../../../shared/contract/grouping.ts';
import { checkerOf, requestSchemaOf, requiredBy } from './described.ts';

describe('the documented schema accepts exactly the requests that the service accepts:', () => {
  const VALUES: Readonly<Record<AttributeType, string | number | boolean>> = {
    string: 'a',
    platform: 'ios',
    number: 1,
    boolean: true,
    list: 'a',
    json: 'a',
    date: '2026-03-01',
    bucket: '2026-03-01',
    window: '2026-03-01',
  };
  const shapes: Readonly<Record<string, (value: unknown) => unknown>> = {
    equal: (value) => value,
    in: (value) => [value],
    greater: () => 1,
    contains: () => 'a',
    on: () => '2026-03-01',
    between_dates: () => ({ lower: '2026-03-01', upper: '2026-03-02' }),
  };
  const SHAPE_OF: Readonly<Record<Operator, string>> = {
    ...{ equal: 'equal', not_equal: 'equal', in: 'in', not_in: 'in', has_any: 'in', not_has_any: 'in' },
    ...{ greater: 'greater', less: 'greater', greater_or_equal: 'greater', less_or_equal: 'greater' },
    ...{ contains: 'contains', not_contains: 'contains', between_dates: 'between_dates' },
    ...{ on: 'on', not_on: 'on', after: 'on', before: 'on' },
  };
  const operators = [...new Set(Object.values(OPERATORS).flat())];

  const filters = Object.keys(ATTRIBUTES)
    .filter(isAttributeName)
    .flatMap((attribute) =>
      operators.flatMap((operator) => {
        const { type } = ATTRIBUTES[attribute];
        const plain = {
          attribute,
          operator,
          value: shapes[SHAPE_OF[operator]]?.(VALUES[type]),
        };
        return [plain, { ...plain, property_name: 'plan' }];
      }),
    );
  const others = [2, '1726-03-01', '2200-01-01', '2026-03', '2026-02-30', '3', false, '', null].flatMap(
    (value) =>
      [
        'event_name',
        'device_platform',
        'session_uploadedon_day',
        'session_uploaded_month',
        'user_first_seen_on',
      ]
        .concat(['date_range', 'session_crashed', 'session_screen_list'])
        .flatMap((attribute) => [
          { attribute, operator: 'equal', value },
          { attribute, operator: 'in', value: ['ios', value] },
          { attribute, operator: 'has_any', value: [value] },
          { attribute, operator: 'on', value },
          { attribute, operator: 'between_dates', value: { lower: '2026-03-01', upper: value } },
        ]),
  );
  const written = ['session_duration', 'session_crashed', 'event_custom_property'].flatMap((attribute) =>
    ['5', '-5.5e3', '5 s', '', 'true', 'True'].flatMap((value) => {
      const target = { attribute, ...(attribute === 'event_custom_property' && { property_name: 'plan' }) };
      return [
        { ...target, operator: 'equal', value },
        { ...target, operator: 'in', value: [value] },
        { ...target, operator: 'greater', value },
      ];
    }),
  );
  const bought = { attribute: 'event_name', operator: 'equal', value: 'purchase' };
  const ios = { attribute: 'device_platform', operator: 'equal', value: 'ios' };
  const day = { ...ios, attribute: 'date_range', operator: 'between_dates' };
  const march = { ...day, value: { lower: '2026-03-01', upper: '2026-03-02' } };
  const price = { name: 'price', operator: 'greater', value: 5 };
  const members = [
    ...[bought, ios, march, { ...bought, operator: 'nonsense' }, { any: [ios] }, { did: [march] }],
    ...[{ did: [bought, ios] }, { did_not: [bought] }, { did: [{ did: [bought] }] }, { did: [] }],
    ...[{ did: [bought], did_not: [bought] }, { ...bought, did: [bought] }, { did: bought }],
    ...[
      { ...bought, property: price },
      { ...ios, property: price },
    ],
    ...[
      { ...bought, operator: 'not_equal', property: price },
      { ...bought, property: { name: 'price' } },
    ],
    { ...bought, operator: 'in', value: ['purchase'], property: { ...price, operator: 'in', value: [5] } },
    { ...bought, property: { ...price, property_name: 'price' } },
  ];
  const combined = [
    ...[...members, { any: [] }, { any: ios }, { any: members }],
    ...members.map((member) => ({ any: [ios, member] })),
  ];
  const groups = Object.keys(ATTRIBUTES).flatMap((attribute) => [
    { attribute },
    { attribute, property_name: 'plan' },
    { attribute, property_name: '' },
    { attribute, max_group_number: 1001 },
  ]);
  const metrics = [...Object.values(COUNTS).flat(), ...Object.values(NUMBERS).flat()].flatMap((name) =>
    [name, ...OPERATIONS.map((operation) => `${operation}_${name}`)].flatMap((attribute) =>
      [undefined, '', 'count', ...OPERATIONS].flatMap((operator) => {
        const plain = { attribute, ...(operator !== undefined && { operator }) };
        return [plain, { ...plain, property_name: 'price' }];
      }),
    ),
  );

  test.each(ENDPOINTS.map((endpoint) => ({ endpoint })))('$endpoint.path', ({ endpoint }) => {
    const errorsIn = checkerOf(requestSchemaOf(endpoint));
    const described = (request: object) => errorsIn(request).length === 0;
    const credentials = { ...(endpoint.style === 'body' && { app_id: 'shop' }), ...requiredBy(endpoint) };
    const steps = [...filters, ...others].map((filter) => ({ event_name: 'a', filters: [filter] }));
    const requests = [
      {},
      { page: 1 },
      { page_size: 0 },
      { page_size: 501 },
      { page_size: 2001 },
      { limit: 1 },
      { cursor: 'x' },
      { show_only: ['usage'] },
      { comparison: 2 },
      ...[...filters, ...others, ...written, ...combined].map((filter) => ({ filters: [filter] })),
      ...groups.map((group) => ({ group_by: [group] })),
      { group_by: [{ attribute: 'app_version' }, { attribute: 'app_version' }] },
      ...metrics.map((metric) => ({ aggregation: [metric] })),
      ...steps.flatMap((step) => [{ steps: [{ event_name: 'b' }, step] }, { start: step }]),
      ...[{}, { event_name: '' }].map((step) => ({ steps: [step, step] })),
      ...[0, 43_200, 43_201].map((within_minutes) => ({ within_minutes })),
      ...[[], [1, 1], [366], [1, 365]].map((days) => ({ days })),
    ].map((request) => ({ ...credentials, ...request }));
    const isTaken = (request: object) => endpoint.request.safeParse(request).success;
    expect(requests.filter(isTaken).length).toBeGreaterThan(endpoint.read === 'catalogue' ? 0 : 100);
    expect(requests.filter((request) => described(request) !== isTaken(request))).toEqual([]);
  });
});
