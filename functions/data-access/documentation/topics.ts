/** A subject that concerns several endpoints. Paragraphs may contain `code`. */
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
      'An API key gives access to the apps it was created for. Send it in the header `X-Api-Key`; endpoints under `/v2` also accept the query parameter `apikey`. Name the app in `app_id` of the body or, under `/v2`, in the header `X-App-Id` or the query parameter `appid`. Proxies log query strings, so prefer headers. A header wins over the query.',
    ],
  },
  {
    id: 'windows',
    title: 'Time windows',
    paragraphs: [
      'Every request covers one time window: the filter `date_range` or, without it, the last 30 days. That default is exactly 720 hours up to now, so its first and last day are partial. A bound that is a date covers the whole day in `time_zone` or else the time zone of the app; this includes an upper bound. A bound that is a timestamp is exact; an upper timestamp is exclusive.',
      'Records belong to the time at which the device recorded them, not to the time of their upload. Devices may upload days later, so the figures of a past period can still grow.',
      'A session belongs to the time at which it started. So do its metrics (`session_*`, `user_*`, the `usage` of users): `eventCount` of a user can include an event that happened after midnight of the last day. Events belong to their own time.',
    ],
  },
  {
    id: 'filters',
    title: 'Filters',
    paragraphs: [
      'A filter is an object with `attribute`, `operator` and `value`; custom properties also need `property_name`. A record must match all filters. For events, sessions and screen visits, a negated operator (`not_equal`, `not_in`, …) matches each record that the operator itself does not match, also records without the attribute. Values of number and boolean attributes may be sent as text, `"5"` or `"true"`. Custom properties keep the type that the app sent: the text `37.5` is not a number, and sums and averages ignore it.',
      'Sessions and users accept `event_name` and `event_custom_property`, which match if any event of the session matches. For users, filters on device, location and app version apply to the latest session of the user; all other filters must match together in one session of the window. So a negated filter is no complement for users: `event_name` `not_equal` `purchase` finds users with a session without a purchase, also those who bought in another; `did_not` finds those who never bought. To find users who were active on two days, request two lists and intersect them; two filters on the day in one request match no one session.',
      'A filter may also be a group. `{"any": [...]}` matches what at least one of its filters alone would match. `{"did": [...]}` has filters of events: it matches sessions with one event that matches all of them, and users with such a session in the window. `{"did_not": [...]}` is the exact complement of `did`, so the two add up to all sessions or users. A filter on `event_name` with `"property": {"name", "operator", "value"}` is `did` with both conditions; for events, send `event_custom_property` beside it. `any` may have `did` and `did_not` in it, but no `any`; `date_range` is never in a group.',
      '`user_first_seen_on` and `user_last_seen_on` consider all time, but a list of users contains only users with a session in the window: to find users who left, also widen `date_range`. A user is first seen in the session with the number 1, which `session_new_users_count` counts. If that session is older than the data, the filter treats the user as first seen before the data starts, and `registeredOn` is the earliest session in the data.',
    ],
  },
  {
    id: 'groups',
    title: 'Groups',
    paragraphs: [
      'A group is an object with an `attribute`. Each row has the key of its group under the name of the attribute, or `null` if the data has no value. To group by a custom property, send `{"attribute": "event_custom_property", "property_name": "plan"}`; rows return its key as `event_custom_property_plan`.',
      'For each attribute, the 50 largest groups by the first metric are returned; `max_group_number` changes this number, up to 1000. All other groups are combined into one row with the key `others`, which counts unique users and sessions over the combined groups instead of adding them up. Time buckets are never combined; empty ones are rows of zeros. `others` is sorted by its value like any other row, and a key of `null` counts toward the maximum.',
      'Rows are sorted by time, then by the first metric in descending order, then by key. `having` drops rows, `sort` orders the others, `limit` keeps the first of them, and pages come last. All three see empty buckets as rows of zeros and `others` as one row. Before them, a response of more than 10,000 rows is rejected, never truncated.',
      'Users are grouped by their sessions in the window: a user with sessions on two platforms counts in both groups, so groups may not add up to the total.',
      'An average over no rows is 0, so read it together with a count. An average over rows that all lack the number is `null`.',
    ],
  },
  {
    id: 'comparison',
    title: 'Comparison',
    paragraphs: [
      'With `comparison` set to 1, each metric also has its value in the previous period, `<metric>_previous`, and the change in percent, `<metric>_pct_change`, with two decimals. The change is `null` if the previous value is 0 or missing. The previous period ends where the window starts. It has the same number of days or, if a bound is a timestamp, the same duration. Groups are matched by key and time buckets by position, including partial weeks and months, so choose a window of whole ones.',
    ],
  },
  {
    id: 'limits',
    title: 'Limits',
    paragraphs: [
      'By default, a key may make 5 requests per second and 500 per hour to each of its apps; the settings of an app can change this. Seconds and hours follow the clock. Response headers show what remains of the limit that is closer to being reached. Requests that name none of the key’s apps are counted together, against the defaults. Requests without an app, and those that these limits reject, do not count. Unknown keys of one address count together, against the defaults. Wait for `Retry-After` seconds before you retry.',
      'Maximum sizes: 256 KiB for a body, 32,768 characters for a URL, 50 filters per request (those in groups included), 1000 values per filter, and 2000 values in all filter lists of a request.',
    ],
  },
];
