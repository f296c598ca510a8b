import { defineRules } from 'deltawatch/rules';

/** What people do in the shop, and what a message calls it. */
const EVENTS = {
  view_item: 'Items viewed',
  search: 'Searches',
  view_category: 'Categories viewed',
  add_to_cart: 'Items added to the cart',
  begin_checkout: 'Checkouts started',
};

// One call answers all of these: they differ only in the event's name.
export default defineRules({
  defaults: {
    app: 'demo',
    zone: 'Europe/Berlin',
    owner: 'shop-team',
    severity: 'warning',
    runbook:
      'Ask who changed the tracking plan or a release for that country; compare with the other platforms.',
    every: 'day at 01:30',
    settle: '1 hour',
    metric: 'event_count',
    group_by: 'device_country',
    compare: { to: 'same_weekday' },
    // What a small country does in a day varies; an event that is no longer sent is at nothing.
    fire: { change: { below: '-80%' } },
    recover: { change: { below: '-50%' } },
    minimum: { baseline: 40 },
  },
  rules: Object.entries(EVENTS).map(([event, title]) => ({
    id: `${event.replaceAll('_', '-')}-by-country`,
    title: `${title}, by country`,
    filters: [{ attribute: 'event_name', operator: 'equal', value: event }],
  })),
});
