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
      'A key reads the apps that it was made for. All endpoints take it as the header `X-Api-Key` or `apikey`, those under `/v2` also in the query, as `apikey`. The app is named by `app_id` of the body or, under `/v2`, by the header `X-App-Id` or `appid` in the query. Queries end up in the logs of proxies, so prefer headers. A request with two different keys is refused with 401, one that names two apps with 400.',
    ],
  },
  {
    id: 'windows',
    title: 'Windows of time',
    paragraphs: [
      'Every question is about one window: the filter `date_range`, or the last 30 days: 720 hours up to now, so that a first and a last day are parts of days. A bound written as a date covers that whole day in the time zone of the app, the upper one too. A bound written as a timestamp is exact, and the upper one is not part of the window.',
      'Besides `between_dates`, `date_range` takes `on` (that day), `after` (from the day after the date, or the moment after the timestamp, up to now) and `before` (from the first record up to the date or timestamp, which is not part of the window). `before` cannot be compared, as nothing is before its window.',
      'Records belong to the moment at which they were recorded on the device, not to that of their upload. Devices may upload days later, so the figures of a closed period can still grow.',
      'A session belongs to the moment at which it began, and what is counted of it (`session_*`, `user_*`, the `usage` of users) belongs there too: a user may have an event in `eventCount` that happened after midnight of the last day. Events themselves go by their own moment.',
    ],
  },
  {
    id: 'filters',
    title: 'Filters',
    paragraphs: [
      'A filter is an object of `attribute`, `operator` and `value`; for the properties that an app sends along also `property_name`. All filters of a list hold at once. A negated one (`not_equal`, `not_in`, …) is the exact complement among events, sessions and screen visits: those that lack the attribute pass it. Where an attribute is a number or a boolean, its value may be sent as text, `"5"` or `"true"`. What an app sent along is compared as it is: a property with the text `37.5` is no number, and no sum or average takes it for one.',
      'Sessions and users take `event_name` and mean any event of the session. Filters on users judge the device, location and app version by the latest session of the user, and all else by one session in the window that passes all such filters at once. So `event_name` `not_equal` `purchase` finds users with a session without a purchase, not those who never bought; and who was there on two days is in both of two lists, not in one with two filters on the day.',
      '`user_first_seen_on` and `user_last_seen_on` look at all time, yet a list of users holds those with a session in its window only: to find who has gone, widen `date_range` as well. A user is first seen in the session that `session_new_users_count` counts, the one with the number 1. Where that session is older than the data, the filter takes the user as first seen before them; `registeredOn` then tells the earliest session that the data hold.',
    ],
  },
  {
    id: 'groups',
    title: 'Groups',
    paragraphs: [
      'A group is an object with an `attribute`. A row carries the key of its group under the name of the attribute, or `null` where the data have none. A property is asked for as `{"attribute": "event_custom_property", "property_name": "plan"}` and comes back as `event_custom_property_plan`.',
      'Of each attribute the 50 largest groups by the first metric are kept, or as many as `max_group_number` says, up to 1000. The rest are one row with the key `others`, whose different users or sessions are counted and not added up. Hours, days, weeks and months are never folded; empty ones are rows of zeros. `others` stands where its figure puts it, and a key of `null` takes one of the places.',
      'Rows come in time order, then by the first metric, greatest first, then by key. An answer of more than 10,000 rows is refused, never cut.',
      'Users are grouped by their sessions in the window: one with sessions on two platforms counts in both groups, so groups need not add up.',
      'An average over no rows is 0, to be read with its count; over rows of which none has the number it is `null`.',
    ],
  },
  {
    id: 'comparison',
    title: 'Comparison',
    paragraphs: [
      '`comparison` of 1 adds to each metric its value in the previous period as `<metric>_previous`, and the change in percent as `<metric>_pct_change`: two decimals, `null` where there is nothing to divide by. The previous period ends where the window starts and has as many days, or where a bound is a timestamp as much time. Groups are matched by key, steps of time by position, parts of weeks and months included: choose a window of whole ones.',
    ],
  },
  {
    id: 'limits',
    title: 'Limits',
    paragraphs: [
      'A key may make 5 requests a second and 500 an hour to each of its apps unless the app says otherwise, by the seconds and hours of the clock. Answers say how many are left of the limit that is closer; requests that name no app of the key are counted together and fall under these numbers. What is refused past these limits does not count. A request of a key that has 64 waiting already is refused with 429 too, and counts. Wait as long as `Retry-After` says.',
      'A body may have 256 KiB, a URL 32,768 letters, a list 50 filters, a filter 1000 values, and all filters of a question 2000 values in their lists.',
    ],
  },
];
