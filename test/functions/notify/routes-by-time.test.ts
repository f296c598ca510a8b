import { describe, expect, it } from 'vitest';
import { ruleNamed } from '../../fixtures/builders.ts';
import { channelsNamed, createNotifier } from '../notifier.ts';

const sales = ruleNamed('sales');

/** On-call from 09:00 to 18:00 on working days, Slack otherwise. The notifier starts on a Monday at noon. */
const byTime = (settings: Record<string, unknown> = {}) => ({
  channels: channelsNamed('on-call', 'slack'),
  calendars: { 'working-hours': { weekly: [{ days: ['mon-fri'], from: '09:00', to: '18:00' }] } },
  routes: [{ name: 'day', match: {}, channels: ['on-call'], active: 'working-hours', ...settings }],
  default: { channels: ['slack'], ...settings },
});

async function notifierFor(routes: Record<string, unknown>) {
  const notifier = await createNotifier([sales], routes);
  const both = () => ({ 'on-call': notifier.notified('on-call'), slack: notifier.notified('slack') });
  return { ...notifier, both };
}

describe('with a route for working hours', () => {
  it('an alert goes to the route of the time at which it was found', async () => {
    const notifier = await notifierFor(byTime());
    await notifier.happens(sales, { transition: 'fired', segment: 'day' });
    await notifier.sweep();
    await notifier.sweep(6);
    await notifier.happens(sales, { transition: 'fired', segment: 'night' });
    await notifier.sweep();
    expect(notifier.both()).toEqual({ 'on-call': ['fired sales [day]'], slack: ['fired sales [night]'] });
  });

  it('an end goes only to the channels that were notified of the start', async () => {
    const notifier = await notifierFor(byTime());
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.sweep();
    await notifier.sweep(8);
    await notifier.happens(sales, { transition: 'recovered' });
    await notifier.sweep();
    expect(notifier.both()).toEqual({ 'on-call': ['fired sales', 'recovered sales'], slack: [] });
  });

  it('an alert that flaps in the evening is reported to both', async () => {
    const notifier = await notifierFor(byTime());
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.sweep();
    await notifier.sweep(8);
    await notifier.happens(sales, { transition: 'flapping' });
    await notifier.sweep();
    expect(notifier.both()).toEqual({
      'on-call': ['fired sales', 'flapping sales'],
      slack: ['flapping sales'],
    });
  });

  it('a muted alert keeps its route until the mute ends', async () => {
    const routes = byTime({ mute: 'until-evening' });
    const calendars = {
      ...routes.calendars,
      'until-evening': { weekly: [{ days: ['mon'], from: '09:00', to: '20:00' }] },
    };
    const notifier = await notifierFor({ ...routes, calendars });
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.sweep(7);
    expect(notifier.both()).toEqual({ 'on-call': [], slack: [] });
    await notifier.sweep(1);
    expect(notifier.both()).toEqual({ 'on-call': ['fired sales'], slack: [] });
  });
});

describe('with a route that continues', () => {
  it('an alert and its end go once to each channel of both routes', async () => {
    const notifier = await notifierFor({
      channels: channelsNamed('on-call', 'slack'),
      routes: [
        { name: 'all', match: {}, channels: ['slack'], continue: true },
        { name: 'sales', match: { rule: 'sales' }, channels: ['on-call', 'slack'] },
      ],
      default: ['slack'],
    });
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.sweep();
    await notifier.happens(sales, { transition: 'recovered' });
    await notifier.sweep();
    const both = ['fired sales', 'recovered sales'];
    expect(notifier.both()).toEqual({ 'on-call': both, slack: both });
  });
});
