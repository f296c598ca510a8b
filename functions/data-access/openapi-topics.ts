/** Something to know that no single field says. Paragraphs may hold `code`. */
export interface Topic {
  readonly id: string;
  readonly title: string;
  readonly paragraphs: readonly string[];
}

export const TOPICS: readonly Topic[] = [
  {
    id: 'credentials',
    title: 'Credentials',
    paragraphs: [
      'A key reads the apps that it was made for. Endpoints under `/api/data-access/v1` take it as the header `X-Api-Key` and the app as `app_id` of the body; those under `/v2` take both in the query, as `apikey` and `appid`. Queries end up in the logs of proxies, so prefer the header.',
    ],
  },
  {
    id: 'windows',
    title: 'Windows of time',
    paragraphs: [
      'Every question is about one window: the filter `date_range` with `between_dates`, or the last 30 days. A bound written as a date covers that whole day in the time zone of the app, the upper one too. A bound written as a timestamp is exact, and the upper one is not part of the window.',
      'Records belong to the moment at which they were recorded on the device, not to that of their upload. Devices may upload days later, so the figures of a closed period can still grow.',
    ],
  },
  {
    id: 'filters',
    title: 'Filters',
    paragraphs: [
      'A filter is an object of `attribute`, `operator` and `value`; for the properties that an app sends along also `property_name`. All filters of a list hold at once. A negated one (`not_equal`, `not_in`, …) is the exact complement: records that lack the attribute pass it.',
      'Sessions and users take `event_name` and mean any event of the session. Filters on users judge the device, location and app version by the latest session of the user, and all else by any one session in the window.',
    ],
  },
  {
    id: 'groups',
    title: 'Groups',
    paragraphs: [
      'A group is an object with an `attribute`. A row carries the key of its group under the name of the attribute, or `null` where the data have none. A property is asked for as `{"attribute": "event_custom_property", "property_name": "plan"}` and comes back as `event_custom_property_plan`.',
      'Of each attribute the 50 largest groups by the first metric are kept, or as many as `max_group_number` says, up to 1000. The rest are one row with the key `others`, whose different users or sessions are counted and not added up. Hours, days, weeks and months are never folded; empty ones are rows of zeros.',
      'Rows come in time order, then by the first metric, greatest first, then by key. An answer of more than 10,000 rows is refused, never cut.',
      'Users are grouped by their sessions in the window: one with sessions on two platforms counts in both groups, so groups need not add up.',
    ],
  },
  {
    id: 'comparison',
    title: 'Comparison',
    paragraphs: [
      '`comparison` of 1 adds to each metric its value in the previous period as `<metric>_previous`, and the change in percent as `<metric>_pct_change`: two decimals, `null` where there is nothing to divide by. The previous period ends where the window starts and has as many days, or where the bounds are timestamps as much time. Groups are matched by key, steps of time by position.',
    ],
  },
  {
    id: 'limits',
    title: 'Limits',
    paragraphs: [
      'A key may make 5 requests a second and 500 an hour unless the app says otherwise. Answers say how many are left. What is refused with 429 does not count; wait as long as `Retry-After` says.',
      'A body may have 256 KiB, a URL 32,768 letters, a list 50 filters, a filter 1000 values.',
    ],
  },
];
