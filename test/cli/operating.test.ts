import { beforeEach, describe, expect, test, vi } from 'vitest';
import { ackCommand } from '../../cli/operate/ack.ts';
import { alertsCommand } from '../../cli/operate/alerts.ts';
import { silenceCommand } from '../../cli/operate/silence.ts';
import { statusCommand } from '../../cli/operate/status.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';
import { HOUR_MS } from '../../shared/units/durations.ts';
import { alertOf, ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { firing, NOW } from '../functions/respond/desk.ts';
import { onRunning } from './operated.ts';

const { clock, stores, run } = onRunning();

const sales = ruleNamed('sales', { severity: 'critical' });
const carts = ruleNamed('carts');
beforeEach(async () => {
  const { rules, alerts, runs } = stores();
  await rules.save(ruleSetOf(sales, carts), { at: NOW - HOUR_MS, by: 'ada' });
  await alerts.save(firing(sales));
  for (const segment of ['DE', 'FR']) await alerts.save(firing(ruleNamed('carts'), { segment }));
  await runs.saveNewestEventAt('demo', NOW - 2 * HOUR_MS);
});

describe('status', () => {
  const status = async (now = NOW): Promise<unknown> =>
    JSON.parse(await run(statusCommand(new ManualClock(now)), '--json'));

  test('prints deployed rules, open alerts and missing runs in 80 columns', async () => {
    const printed = await run(statusCommand(clock));
    const facts = [
      '2 deployed, since 2026-03-03 08:00 UTC, by ada',
      '1 open: 1 critical',
      'never ran',
      '2 hours old',
    ];
    for (const fact of facts) expect(printed).toContain(fact);
    expect(Math.max(...printed.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('reports a failing channel with its reason until a delivery succeeds', async () => {
    const { deliveries } = stores();
    const delivery = { channel: 'team', route: 'default', title: 'Sales', alerts: 1, keys: [] };
    const failed = { kind: 'failed', reason: 'no such webhook', permanent: true } as const;
    await deliveries.save({ ...delivery, at: NOW - 3, outcome: { kind: 'sent' } });
    await deliveries.save({ ...delivery, at: NOW - 2, outcome: failed });
    await deliveries.save({ ...delivery, at: NOW - 1, outcome: failed });
    const since = new Date(NOW - 2).toISOString();
    expect(await status()).toMatchObject({
      troubles: [{ kind: 'refusing', name: 'team', since, why: 'no such webhook' }],
    });
    await deliveries.save({ ...delivery, at: NOW, outcome: { kind: 'sent' } });
    expect(await status()).toMatchObject({ troubles: [] });
  });

  test('lists rules that match no data, and since when', async () => {
    const searches = ruleNamed('searches');
    await stores().rules.save({ ...ruleSetOf(sales, carts, searches), version: 'v2' });
    const unmatched = { sinceAt: NOW - 7 * 24 * HOUR_MS, windows: 7, isNew: true, notified: true };
    await stores().alerts.save(alertOf(searches, { unmatched }));
    expect(await status()).toMatchObject({
      troubles: [
        { kind: 'unmatched', name: 'searches', since: new Date(NOW - 7 * 24 * HOUR_MS).toISOString() },
      ],
    });
    const printed = await run(statusCommand(clock));
    expect(printed).toContain('check --live\n  searches since 2026-02-24 09:00 UTC\n');
  });
});

describe('alerts', () => {
  test('lists firing alerts with their figures and who acknowledged them', async () => {
    const printed = await run(alertsCommand(clock));
    expect(printed).toMatch(/sales +firing +100 to 40 -60% +03-02 00:00 +no one/);
    expect(printed).not.toContain('carts');
  });

  test('suggests a rule for an unknown rule id', async () => {
    for (const ask of [
      () => run(alertsCommand(clock), '--rule', 'sale'),
      () => run(ackCommand(clock), 'sale'),
    ]) {
      const asked = ask();
      await expect(asked).rejects.toThrow(InvalidRequestError);
      await expect(asked).rejects.toThrow(/"sale" deployed to this machine, in .*; did you mean "sales"\?$/);
    }
    const far = run(alertsCommand(clock), '--rule', 'nothing-like-it');
    await expect(far).rejects.toThrow('; known rules: sales, carts, app:demo');
  });
});

describe('ack', () => {
  test('acknowledges an alert under a name and adds a pending notification', async () => {
    const args = ['sales', '--as', 'ada', '--reason', 'the till is down'];
    expect(await run(ackCommand(clock), ...args)).toBe('sales: acknowledged, as ada');
    const [alert] = await stores().alerts.loadOfRule('sales');
    expect(alert?.acknowledged).toEqual({ by: 'ada', at: NOW, reason: 'the till is down' });
    expect(Object.values(alert?.pending ?? {})).toMatchObject([
      { transition: 'acknowledged', channel: 'team' },
    ]);
    expect(process.exitCode).toBeUndefined();
    const other = await run(ackCommand(clock), 'sales', '--as', 'bo');
    expect(other).toContain('ada acknowledged it already, Tue 3 Mar 2026, 09:00 (UTC)');
    expect(process.exitCode).toBe(1);
  });

  test('requires a segment if several fire, and snoozes only that one', async () => {
    const unsaid = run(ackCommand(clock), 'carts');
    await expect(unsaid).rejects.toThrow(/2 segments of carts fire.*--all/);
    await run(ackCommand(clock), 'carts', '--segment', 'FR', '--snooze', '1d', '--as', 'ada');
    const snoozed = { by: 'ada', at: NOW, reason: '', untilAt: NOW + 24 * HOUR_MS };
    expect(await stores().alerts.loadOfRule('carts')).toMatchObject([
      { segment: 'DE', snoozed: null },
      { segment: 'FR', snoozed },
    ]);
    const other = run(ackCommand(clock), 'carts', '--segment', 'IT');
    await expect(other).rejects.toThrow('carts has no open alert of the segment IT');
  });
});

describe('silence', () => {
  const add = (...args: string[]) => run(silenceCommand(clock), 'add', '--as', 'bo', ...args);

  test('matches alerts, is listed with its id, and expires by its id', async () => {
    const about = ['--match', 'rule=sa*', '--match', 'app=demo', '--for', '4h'];
    const added = await add(...about, '--reason', 'data migration');
    expect(added).toContain('until 2026-03-03 13:00 UTC; it matches 1 open alert');
    const match = { rule: 'sa*', app: 'demo' };
    expect(await stores().silences.loadAll()).toMatchObject([{ match, by: 'bo', reason: 'data migration' }]);
    const listed = await run(silenceCommand(clock), 'list');
    expect(listed).toMatch(/app=demo rule=sa\* +2026-03-03 13:00 +bo +data/);
    const id = listed.split('\n')[1]?.slice(0, 8) ?? '';
    await run(silenceCommand(clock), 'expire', id);
    expect(await stores().silences.loadAll()).toMatchObject([{ untilAt: NOW }]);
    await expect(run(silenceCommand(clock), 'expire', id)).rejects.toThrow('no active silence');
  });

  test('ends at the time of --until', async () => {
    await add('--match', 'owner=shop', '--until', '2026-03-05', '--reason', 'a holiday');
    expect(await stores().silences.loadAll()).toMatchObject([{ untilAt: Date.UTC(2026, 2, 5) }]);
    // The clock advances while the table opens; the end must not move.
    let ticks = NOW;
    const moving = vi.spyOn(clock, 'now').mockImplementation(() => ticks++);
    const json = await add('--match', 'owner=shop', '--until', '2026-03-06', '--reason', 'more', '--json');
    expect(JSON.parse(json)).toMatchObject({ until: '2026-03-06T00:00:00.000Z' });
    moving.mockRestore();
  });

  test('is rejected if it matches everything, is too long or has no reason', async () => {
    const refused: [args: string[], problem: string][] = [
      [['--match', 'rule=*', '--for', '1h', '--reason', 'x'], 'it cannot match everything'],
      [['--match', 'rule=a', '--reason', 'x'], 'set the end with --for or --until'],
      [['--match', 'rule=a', '--for', '31d', '--reason', 'x'], 'at most 30 days'],
      [['--match', 'rule=a', '--until', '2026-03-01', '--reason', 'x'], '--until must be in the future'],
      [['--match', 'rule=a', '--for', '1h', '--until', '2026-04-01', '--reason', 'x'], 'cannot be used with'],
      [['--match', 'rule=a', '--match', 'rule=b', '--for', '1h', '--reason', 'x'], 'Use rule once'],
      [['--match', 'what=a', '--for', '1h', '--reason', 'x'], 'KEY is one of app, rule'],
      [['--match', 'rule=a', '--for', 'ever', '--reason', 'x'], 'Use a duration'],
      [['--match', 'rule=a', '--for', '1h', '--reason', ' '], 'Give a reason'],
      [
        ['--match', 'rule=carts', '--match', 'severity=critical', '--for', '1h', '--reason', 'x'],
        'no deployed rule or app matches rule=carts severity=critical',
      ],
      [['--match', 'rule=a', '--for', '1h'], "'--reason <text>' not specified"],
    ];
    for (const [args, problem] of refused)
      await expect(add(...args), args.join(' ')).rejects.toThrow(problem);
    expect(await stores().silences.loadAll()).toEqual([]);
  });
});
