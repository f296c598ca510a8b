import { describe, expect, it } from 'vitest';
import { dayAt } from '../../fixtures/builders.ts';
import { daily, lifeOf, perSession, QUIET } from '../../fixtures/life.ts';

describe('an event that stops', () => {
  const weeks = 9;
  const stop = Array.from({ length: 7 * weeks }, () => 0);
  const month = [...QUIET, ...QUIET];

  it.each([
    ['the day before', { compare: { to: 'previous_period' } }],
    ['the same weekday', { compare: { to: 'same_weekday' } }],
    ['the median of weeks', { compare: { median_of: '4 weeks' } }],
    ['the season', { compare: undefined, fire: undefined, anomaly: true }],
  ])('fires until it is back, nine weeks later (compared with %s)', (_name, compared) => {
    const life = lifeOf(daily(compared)).days([...month, ...stop]);
    expect(life.notified()).toEqual(['fired@42']);
    expect(life.alert()).toMatchObject({ state: 'firing', last: { verdict: 'breached' } });
    expect(life.days([990, 1010]).notified()).toEqual(['fired@42', 'recovered@106']);
  });
});

describe('restatement', () => {
  const twice = daily({ fire_after: '2 of 2' });

  it('with another clear value changes only the shown value', () => {
    const life = lifeOf(daily()).days(QUIET);
    const { lastWindows, ...before } = life.alert();
    const shown = lastWindows.map((each, i) => (i === 19 ? { ...each, value: 1010 } : each));
    expect(life.again(19, 1010).alert()).toEqual({ ...before, lastWindows: shown });
  });

  it('returns a pending alert to normal', () => {
    const life = lifeOf(twice).days([...QUIET, 300]);
    expect(life.alert().state).toBe('pending');
    expect(life.again(21, 980).alert()).toMatchObject({ state: 'normal', suspected: null });
    expect(life.notified()).toEqual([]);
  });

  it('fires a pending alert', () => {
    const life = lifeOf(twice)
      .days([...QUIET, 300, 985])
      .again(22, 310);
    expect(life.notified()).toEqual(['fired@22']);
    expect(life.alert().incidents).toEqual([{ startAt: dayAt(21).startAt, endAt: dayAt(22).endAt }]);
  });

  it('counts a window once: the new verdict replaces the old one', () => {
    const life = lifeOf(daily({ fire_after: '2 of 3' })).days([...QUIET, 300]);
    expect(life.again(21, 290).alert().state).toBe('pending');
    expect(life.alert().recent.filter(({ verdict }) => verdict === 'breached')).toHaveLength(1);
  });

  it('withdraws a window that counted towards recovery', () => {
    const life = lifeOf(daily()).days([...QUIET, 300, 990]);
    expect(life.alert().state).toBe('recovering');
    expect(life.again(22, 310).alert().state).toBe('firing');
    expect(life.days([1000]).alert().state).toBe('recovering');
  });

  it('does not change an alert that has recovered', () => {
    const life = lifeOf(daily()).days([...QUIET, 300, 990, 1010]);
    const before = life.alert();
    expect(life.again(21, 985).alert()).toEqual(before);
    expect(life.notified()).toEqual(['fired@21', 'recovered@23']);
  });
});

describe('retraction', () => {
  it('names both values and when the alert fired', () => {
    const life = lifeOf(daily())
      .days([...QUIET, 300])
      .again(21, 985);
    expect(life.notified()).toEqual(['fired@21', 'retracted@21']);
    expect(life.alert()).toMatchObject({ state: 'normal', fired: null, incidents: [] });
    expect(life.text()).toBe(
      'Retracted: The rule sales at 985 events, not 300. 985 events on Mon 23 Mar 2026 (UTC), 970 before it fired.',
    );
    expect(life.facts()).toMatchObject({
      Now: '985 events on Mon 23 Mar 2026 (UTC)',
      'First read': '300 events; the data has changed since',
      Fired: 'for Mon 23 Mar 2026 (UTC)',
    });
  });

  it('waits until no window of the alert breaches', () => {
    const life = lifeOf(daily())
      .days([...QUIET, 300, 320])
      .again(21, 985);
    expect(life.alert().state).toBe('firing');
    expect(life.again(22, 990).notified()).toEqual(['fired@21', 'retracted@22']);
  });

  it('keeps the remaining breach pending', () => {
    const life = lifeOf(daily({ fire_after: '2 of 3' }))
      .days([...QUIET, 300, 310])
      .again(22, 990);
    expect(life.alert()).toMatchObject({ state: 'pending', suspected: { firstEndAt: dayAt(21).endAt } });
  });

  it('by a value between the fire and recover bounds is idempotent', () => {
    const rule = daily({ fire_after: '2 of 3', recover: { change: { below: '-10%' } } });
    const life = lifeOf(rule)
      .days([...QUIET, 300, 310, 320])
      .again(22, 990)
      .again(23, 750);
    expect(life.notified()).toEqual(['fired@22', 'retracted@23']);
    const retracted = life.alert();
    expect(life.again(23, 750).alert()).toEqual(retracted);
  });

  it('can be followed by another fire for the same window', () => {
    const life = lifeOf(daily())
      .days([...QUIET, 300])
      .again(21, 985)
      .again(21, 310);
    expect(life.notified()).toEqual(['fired@21', 'retracted@21', 'fired@21']);
  });
});

describe('late breach', () => {
  it('fires late and names the delay', () => {
    const life = lifeOf(daily())
      .days([...QUIET, 985, 1010, 990])
      .again(21, 300);
    expect(life.notified()).toEqual(['fired@23']);
    expect(life.alert()).toMatchObject({ state: 'firing', fired: { windowEndAt: dayAt(21).endAt } });
    expect(life.facts()).toMatchObject({
      'First read': '985 events; the data has changed since',
      Late: 're-evaluated 2 days after the data was expected to be complete',
    });
  });

  it('recovers with the windows after it', () => {
    const life = lifeOf(daily())
      .days([...QUIET, 985, 1010])
      .again(21, 300)
      .days([1000, 990]);
    expect(life.notified()).toEqual(['fired@22', 'recovered@24']);
  });

  it('does not fire an alert that is already firing', () => {
    const life = lifeOf(daily())
      .days([...QUIET, 985, 300])
      .again(21, 310);
    expect(life.notified()).toEqual(['fired@22']);
  });
});

describe('no-data', () => {
  const empty = [undefined, undefined, undefined, undefined];
  const normal = Array.from({ length: 21 }, (_, day) => (day % 2 ? 103 : 97));

  it('is sent once after three windows, and data-back once at the next value', () => {
    const life = lifeOf(perSession()).days([...normal, ...empty, 100, 100]);
    expect(life.notified()).toEqual(['no-data@23', 'data-back@25']);
  });

  it('waits for "no_data_after" windows', () => {
    const life = lifeOf(perSession({ no_data_after: 1 })).days([...normal, undefined, 100, undefined]);
    expect(life.notified()).toEqual(['no-data@21', 'data-back@22', 'no-data@23']);
  });

  it('keeps the state of the alert', () => {
    const rule = perSession({ fire: { change: { above: '100%' } } });
    const life = lifeOf(rule).days([...normal, 900, ...empty]);
    expect(life.alert().state).toBe('firing');
    expect(life.days([110, 105]).notified()).toEqual([
      'fired@21',
      'no-data@24',
      'data-back@26',
      'recovered@27',
    ]);
  });

  it('is not sent for fewer windows', () => {
    const life = lifeOf(perSession()).days([...normal, undefined, undefined, 100, undefined, undefined, 100]);
    expect(life.notified()).toEqual([]);
  });

  it('that lasts for a segment makes its alert recover', () => {
    const rule = perSession({ group_by: 'app_version', fire: { change: { above: '100%' } } });
    const life = lifeOf(rule, '2.1').days([...normal, 900, ...empty]);
    expect(life.notified()).toEqual(['fired@21', 'recovered@25']);
    expect(life.facts()).toMatchObject({ Why: 'the segment sends little or no data any more' });
    expect(life.text()).toMatch(/^Ended: The rule .* in version 2\.1/);
  });

  it('of a segment for two windows keeps its alert firing', () => {
    const rule = perSession({ group_by: 'app_version', fire: { change: { above: '100%' } } });
    const quiet = [undefined, undefined];
    const life = lifeOf(rule, '2.1').days([...normal, 900, ...quiet, 900, ...quiet, 900]);
    expect(life.notified()).toEqual(['fired@21']);
  });
});

describe('flapping', () => {
  const rule = daily({ recover_after: '1 of 1' });
  /** Fires and recovers `times` times. */
  const flips = (times: number) => Array.from({ length: times }, () => [300, 1000]).flat();

  it('collapses into one message at the fourth change', () => {
    const life = lifeOf(rule).days([...QUIET, ...flips(5)]);
    expect(life.notified()).toEqual(['fired@21', 'recovered@22', 'fired@23', 'flapping@24']);
    expect(life.alert().flappingSinceAt).toBe(dayAt(24).endAt);
    expect(life.text()).toMatch(/^Warning: Flapping: The rule sales, now at 1,000 events\. /);
  });

  it('ends after five days without a change, with one message about the state', () => {
    const life = lifeOf(rule).days([...QUIET, ...flips(3), ...QUIET.slice(0, 12)]);
    expect(life.notified().slice(3)).toEqual(['flapping@24', 'calmed@31']);
    expect(life.alert()).toMatchObject({ state: 'normal', flappingSinceAt: null, changes: [] });
  });

  it('ends with a notification when a fire outlasts the earlier ones', () => {
    const life = lifeOf(rule).days([...QUIET, ...flips(2), ...Array(13).fill(300)]);
    expect(life.notified().slice(3)).toEqual(['flapping@24', 'persists@28']);
    expect(life.facts().Why).toContain('for longer than at any time while it was flapping');
  });

  it('continues while no fire outlasts the earlier ones', () => {
    const long = [300, 300, 300, 300, 1000];
    const life = lifeOf(rule).days([...QUIET, ...long, ...long, ...long]);
    expect(life.notified().slice(3)).toEqual(['flapping@30']);
    expect(life.days(Array(6).fill(300)).notified().slice(4)).toEqual(['persists@41']);
  });

  it('ends with a notification when the rule changes', () => {
    const life = lifeOf(rule)
      .days([...QUIET, ...flips(2)])
      .deploy(daily({ fire: { change: { below: '-80%' } } }))
      .days([1000]);
    expect(life.notified().slice(3)).toEqual(['flapping@24', 'restarted@25']);
    expect(life.facts().Why).toContain('while the alert was flapping');
  });

  it('does not start when the changes are further apart', () => {
    const slow = [300, ...QUIET, 1000, 1000, 300, ...QUIET, 1000, 1000, 300];
    const life = lifeOf(rule).days([...QUIET, ...slow]);
    expect(life.notified().map((line) => line.split('@')[0])).toEqual([
      ...['fired', 'recovered', 'fired', 'recovered', 'fired'],
    ]);
  });
});

describe('accepted level', () => {
  it('ends an alert after two weeks and becomes the baseline', () => {
    const life = lifeOf(daily()).days([...QUIET, ...Array(16).fill(300)]);
    expect(life.notified()).toEqual(['fired@21', 'accepted@35']);
    expect(life.alert()).toMatchObject({ state: 'normal', incidents: [] });
    expect(life.days([100]).notified().at(-1)).toBe('fired@37');
  });

  it('does not come from windows without a value', () => {
    const silent = Array(16).fill(undefined);
    const normal = Array.from({ length: 21 }, (_, day) => (day % 2 ? 103 : 97));
    const life = lifeOf(perSession({ fire: { change: { above: '100%' } } })).days([
      ...normal,
      900,
      ...silent,
    ]);
    expect(life.notified()).toEqual(['fired@21', 'no-data@24']);
    expect(life.days([900]).notified().slice(2)).toEqual(['accepted@38', 'data-back@38']);
  });

  it('can lie between the fire and recover bounds', () => {
    const rule = daily({ recover: { change: { below: '-10%' } } });
    const life = lifeOf(rule).days([...QUIET, 300, ...Array(14).fill(800)]);
    expect(life.notified()).toEqual(['fired@21', 'accepted@35']);
  });

  it('can be accepted by a person', () => {
    const life = lifeOf(daily())
      .days([...QUIET, 300, 310])
      .accept('the campaign is over');
    expect(life.alert()).toMatchObject({ state: 'normal', fired: null, incidents: [] });
    expect(life.days([305, 295]).notified()).toEqual(['fired@21']);
  });
});

describe('a surge from 0', () => {
  it('of a segment recovers when it is at 0 again', () => {
    const rule = daily({ group_by: 'device_country', fire: { change: { above: '100%' } } });
    const life = lifeOf(rule, 'Malta').days([2, ...Array(20).fill(0), 500, 0, 0]);
    expect(life.notified()).toEqual(['fired@21', 'recovered@23']);
  });
});

describe('semantic hash', () => {
  const fired = () => lifeOf(daily()).days([...QUIET, 300]);

  it.each<[string, Record<string, unknown>]>([
    ['a title', { title: 'What we sell' }],
    ['an owner, a severity and a runbook', { owner: 'ops', severity: 'critical', runbook: 'Look.' }],
    ['how long to wait for data', { grace: '1 day', no_data_after: 5, restate_for: '5 days' }],
  ])('a cosmetic edit keeps the state: %s', (_name, edit) => {
    const life = fired();
    const before = life.alert();
    life.deploy(daily(edit)).days([300]);
    expect(life.notified()).toEqual(['fired@21']);
    expect(life.alert()).toMatchObject({ state: 'firing', fired: before.fired });
  });
});
