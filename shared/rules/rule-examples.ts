import type { RuleInput } from './define-rules.ts';

/** Some keys of a rule, or several rules if one alone cannot show the key. */
export type RuleExample = Partial<RuleInput> | { rules: Partial<RuleInput>[] };

/**
 * Examples of each key of a rule, including nested keys. Editors show them from the JSON Schema, and the reference
 * includes them.
 */
export const RULE_EXAMPLES: { readonly [Key in keyof RuleInput]-?: readonly RuleExample[] } = {
  id: [
    {
      rules: [
        {
          id: 'purchases',
          title: 'Purchases',
          app: 'demo',
          owner: 'checkout-team',
          every: 'day at 07:00',
          metric: 'event_count',
          filters: [{ attribute: 'event_name', operator: 'equal', value: 'purchase' }],
          fire: { change: { below: '-40%' } },
        },
      ],
    },
  ],
  title: [{ title: 'Purchases by country' }],
  app: [{ app: 'demo' }],
  owner: [{ owner: 'checkout-team' }],
  severity: [{ severity: 'critical', runbook: "Compare with the payment provider's own figures first." }],
  runbook: [{ runbook: 'https://wiki.example.com/runbooks/purchases' }],
  every: [
    { every: 'hour at :20' },
    { every: 'monday and thursday at 07:00' },
    { every: 'cron 0 9-17 * * 1-5' },
  ],
  zone: [{ zone: 'Europe/Berlin' }],
  window: [{ every: 'hour at :20', window: 'day' }],
  settle: [{ every: 'day at 01:30', settle: '1 hour' }],
  metric: [
    { metric: 'session_seconds' },
    {
      metric: { average: 'price' },
      unit: 'EUR',
      filters: [{ attribute: 'event_name', operator: 'equal', value: 'purchase' }],
    },
    { metric: { maximum: 'load_seconds' }, unit: 'seconds', fire: { current: { above: 30 } } },
    { metric: { p95: 'load_seconds' }, unit: 'seconds', fire: { current: { above: 8 } } },
    { metric: { minimum: 'rating' }, fire: { current: { below: 2 } } },
  ],
  ratio: [
    { ratio: { of: 'purchase', to: 'begin_checkout' }, metric: 'event_users' },
    { ratio: { of: 'purchase', to: { metric: 'sessions' } }, group_by: 'device_country' },
    {
      ratio: {
        of: {
          metric: 'sessions',
          filters: [{ attribute: 'session_crashed', operator: 'equal', value: true }],
        },
        to: { metric: 'sessions' },
      },
    },
  ],
  funnel: [{ funnel: ['view_item', 'add_to_cart', 'purchase'], metric: 'event_sessions' }],
  formula: [
    {
      formula: 'failed / (failed + paid)',
      figures: { failed: ofEvent('payment_failed'), paid: ofEvent('payment') },
    },
  ],
  figures: [
    {
      formula: 'revenue / sessions',
      figures: { revenue: { metric: { sum: 'price' } }, sessions: { metric: 'sessions' } },
      unit: 'EUR per session',
    },
  ],
  unit: [{ metric: { sum: 'price' }, unit: 'EUR' }],
  all_of: [composite('all_of', 'Fewer purchases and more rage')],
  any_of: [composite('any_of', 'Fewer purchases or more rage')],
  quiet: [{ quiet: true }],
  filters: [
    {
      metric: 'event_count',
      filters: [
        { attribute: 'event_name', operator: 'in', value: ['purchase', 'refund'] },
        { attribute: 'event_custom_property', property_name: 'currency', operator: 'equal', value: 'EUR' },
        { attribute: 'session_duration', operator: 'greater', value: 30 },
        { attribute: 'event_screen_name', operator: 'contains', value: 'Checkout' },
      ],
    },
  ],
  group_by: [
    { group_by: 'device_country', minimum: { baseline: 40 } },
    {
      metric: 'event_count',
      group_by: { attribute: 'event_custom_property', property_name: 'plan' },
    },
    { group_by: ['device_platform', 'app_version'], max_segments: 20 },
  ],
  max_segments: [{ group_by: 'app_version', max_segments: 20 }],
  new_segments: [
    { group_by: 'app_version', new_segments: '7 days' },
    { group_by: 'device_country', new_segments: 'report', minimum: { current: 100 } },
  ],
  false_discovery: [
    { group_by: 'device_country', false_discovery: { rate: '10%', method: 'benjamini-yekutieli' } },
  ],
  compare: [{ compare: { to: 'same_weekday' } }, { compare: { median_of: '6 weeks' } }],
  anomaly: [{ anomaly: 'fall', minimum: { difference: 50 } }],
  holidays: [{ holidays: { country: 'DE', region: 'BY', days: ['2026-12-24', '2026-12-31'] } }],
  fire: [
    { fire: { change: { above: '100%', below: '-40%' } } },
    {
      metric: 'session_seconds',
      fire: { current: { above: 600, below: 20 }, difference: { above: 60, below: -60 } },
    },
  ],
  recover: [
    {
      fire: { change: { above: '100%', below: '-40%' } },
      recover: { change: { above: '50%', below: '-25%' } },
    },
    {
      metric: 'session_seconds',
      fire: { current: { above: 600, below: 20 }, difference: { above: 60, below: -60 } },
      recover: { current: { above: 500, below: 30 }, difference: { above: 30, below: -30 } },
    },
  ],
  minimum: [{ minimum: { current: 20, baseline: 50, difference: 30 } }],
  confidence: [{ confidence: 0.95 }],
  restate_for: [{ restate_for: '3 days' }],
  grace: [{ grace: '12 hours' }],
  no_data_after: [{ metric: 'session_seconds', no_data_after: 2 }],
  fire_after: [{ fire_after: '2 of 3' }],
  recover_after: [{ recover_after: '3 of 3' }],
};

function ofEvent(value: string): NonNullable<RuleInput['figures']>[string] {
  return { metric: 'event_count', filters: [{ attribute: 'event_name', operator: 'equal', value }] };
}

function composite(key: 'all_of' | 'any_of', title: string): RuleExample {
  const shared = { app: 'demo', owner: 'checkout-team', every: 'day at 07:00' } as const;
  return {
    rules: [
      { id: 'checkout-hurts', title, ...shared, [key]: ['purchases', 'rage'] },
      {
        id: 'purchases',
        title: 'Purchases',
        ...shared,
        metric: 'event_count',
        fire: { change: { below: '-20%' } },
      },
      {
        id: 'rage',
        title: 'Rage',
        ...shared,
        metric: 'rage_gestures_per_session',
        fire: { change: { above: '30%' } },
      },
    ],
  };
}
