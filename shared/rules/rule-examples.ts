import type { RuleInput } from './define-rules.ts';

type ValuesOf<Key extends keyof RuleInput> = readonly NonNullable<RuleInput[Key]>[];

/** Values of each key of a rule, with all nested keys. Editors suggest them, from the JSON Schema. */
export const RULE_EXAMPLES: { readonly [Key in keyof RuleInput]-?: ValuesOf<Key> } = {
  id: ['purchases'],
  title: ['Purchases by country'],
  app: ['demo'],
  owner: ['checkout-team'],
  severity: ['critical'],
  runbook: ['https://wiki.example.com/runbooks/purchases'],
  every: ['hour at :20', 'monday and thursday at 07:00', 'cron 0 9-17 * * 1-5'],
  zone: ['Europe/Berlin'],
  window: ['day'],
  settle: ['1 hour'],
  metric: [
    'session_seconds',
    { average: 'price' },
    { maximum: 'load_seconds' },
    { p95: 'load_seconds' },
    { minimum: 'rating' },
    { sum: 'price' },
  ],
  ratio: [
    { of: 'purchase', to: 'begin_checkout' },
    { of: 'purchase', to: { metric: 'sessions' } },
    {
      of: {
        metric: 'sessions',
        filters: [{ attribute: 'session_crashed', operator: 'equal', value: true }],
      },
      to: { metric: 'sessions' },
    },
  ],
  funnel: [['view_item', 'add_to_cart', 'purchase']],
  within: ['1 day'],
  formula: ['failed / (failed + paid)'],
  figures: [
    {
      failed: {
        metric: 'event_count',
        filters: [{ attribute: 'event_name', operator: 'equal', value: 'payment_failed' }],
      },
      paid: {
        metric: 'event_count',
        filters: [{ attribute: 'event_name', operator: 'equal', value: 'payment' }],
      },
    },
  ],
  unit: ['EUR'],
  all_of: [['purchases', 'rage']],
  any_of: [['purchases', 'rage']],
  quiet: [true],
  filters: [
    [
      { attribute: 'event_name', operator: 'in', value: ['purchase', 'refund'] },
      { attribute: 'event_custom_property', property_name: 'currency', operator: 'equal', value: 'EUR' },
      { attribute: 'session_duration', operator: 'greater', value: 30 },
      { attribute: 'event_screen_name', operator: 'contains', value: 'Checkout' },
    ],
  ],
  group_by: [
    'device_country',
    { attribute: 'event_custom_property', property_name: 'plan' },
    ['device_platform', 'app_version'],
  ],
  max_segments: [20],
  new_segments: ['7 days', 'report'],
  false_discovery: [{ rate: '10%', method: 'benjamini-yekutieli' }],
  compare: [{ to: 'same_weekday' }, { median_of: '6 weeks' }],
  anomaly: ['fall'],
  sensitivity: ['high'],
  holidays: [{ country: 'DE', region: 'BY', days: ['2026-12-24', '2026-12-31'] }],
  fire: [
    { change: { above: '100%', below: '-40%' } },
    { current: { above: 600, below: 20 }, difference: { above: 60, below: -60 } },
  ],
  recover: [
    { change: { above: '50%', below: '-25%' } },
    { current: { above: 500, below: 30 }, difference: { above: 30, below: -30 } },
  ],
  minimum: [{ current: 20, baseline: 50, difference: 30 }],
  confidence: [0.95],
  restate_for: ['3 days'],
  grace: ['12 hours'],
  no_data_after: [2],
  fire_after: ['2 of 3'],
  recover_after: ['3 of 3'],
};
