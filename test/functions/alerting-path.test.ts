import { describe, expect, it } from 'vitest';
import { DAY, dayAt, HOUR, ruleNamed } from '../fixtures/builders.ts';
import { Crash, createWorld, type WorldOptions } from './world.ts';

/** 1,000 a day, some 3% up and down; 300 on days 20 to 22. */
const dropOnDay20 = (day: number) => (day >= 20 && day <= 22 ? 300 : day % 2 ? 1030 : 970);
const drop: WorldOptions = { rules: [ruleNamed('sales')], figure: dropOnDay20 };

describe('a drop of a daily count', () => {
  it('is notified once when it fires and once when it recovers', async () => {
    const world = createWorld(drop);
    await world.ticks(0, 30);
    expect(world.notified()).toEqual(['fired sales', 'recovered sales']);
  });

  it('wakes up notify immediately, which a day without news does not', async () => {
    const world = createWorld(drop);
    await world.ticks(0, 19);
    expect(world.wokenUp()).toEqual([]);
    await world.tick(20);
    expect(world.wokenUp()).toEqual([world.planned.at(-1)?.tick]);
  });

  it('is found without a query for segments if the rule has none', async () => {
    const world = createWorld(drop);
    await world.ticks(0, 19);
    world.alerts.loadOfRule = () => Promise.reject(new Error('a rule without segments has one alert'));
    await world.tick(20);
    expect(world.notified()).toEqual(['fired sales']);
  });

  it('is notified with its figures and those of the day before', async () => {
    const world = createWorld(drop);
    await world.ticks(0, 20);
    const [message] = world.channel.sent;
    expect(message?.text).toBe(
      'Warning: The rule sales down 71%. 300 events on Sun 22 Mar 2026 (UTC), 1,030 before.',
    );
    expect(message?.items[0]?.facts.find(({ label }) => label === 'Difference')?.text).toBe(
      '730 fewer (-70.9%)',
    );
  });

  it('does not recover because the day before is low too', async () => {
    const world = createWorld({ ...drop, figure: (day) => (day >= 20 ? 300 : dropOnDay20(day)) });
    await world.ticks(0, 33);
    expect(world.notified()).toEqual(['fired sales']);
    const [alert] = await world.alerts.loadOfRule('sales');
    expect(alert).toMatchObject({ state: 'firing', fired: { baselineWindow: dayAt(19) } });
  });

  it('is rebaselined after two weeks, with a notification', async () => {
    const world = createWorld({ ...drop, figure: (day) => (day >= 20 ? 300 : dropOnDay20(day)) });
    await world.ticks(0, 50);
    expect(world.notified()).toEqual(['fired sales', 'accepted sales']);
    expect(world.channel.sent[1]?.text).toMatch(/^Rebaselined: The rule sales at 300 events\. /);
  });

  it('recovers under a same-weekday rule when the level from before the incident returns', async () => {
    const rules = [ruleNamed('sales', { compare: { to: 'same_weekday' } })];
    const figure = (day: number) => (day >= 20 && day < 29 ? 300 : (day + 7) % 7 < 5 ? 1000 : 600);
    const world = createWorld({ rules, figure });
    await world.ticks(0, 32);
    expect(world.notified()).toEqual(['fired sales', 'recovered sales']);
    const [alert] = await world.alerts.loadOfRule('sales');
    expect(alert?.stateSinceAt).toBe(dayAt(30).endAt);
  });

  it('is notified once if each tick is delivered twice', async () => {
    const world = createWorld(drop);
    for (let day = 0; day <= 25; day++) {
      await world.tick(day);
      await world.tick(day);
    }
    expect(world.notified()).toEqual(['fired sales', 'recovered sales']);
  });

  it('is found after missed ticks, and marked as late', async () => {
    const world = createWorld(drop);
    await world.ticks(0, 19);
    await world.tick(21);
    expect(world.notified()).toEqual(['fired sales']);
    expect(world.channel.sent[0]?.items[0]?.facts.at(-1)).toMatchObject({ label: 'Late' });
    const [alert] = await world.alerts.loadOfRule('sales');
    expect(alert?.evaluatedThroughAt).toBe(dayAt(21).endAt);
  });

  it('that started and ended during missed ticks is not notified', async () => {
    const world = createWorld(drop);
    await world.ticks(0, 19);
    await world.tick(28);
    expect(world.notified()).toEqual([]);
  });
});

it('a rule with fire_after compares the second breach with the last day before the first', async () => {
  const rules = [ruleNamed('sales', { fire_after: '2 of 2' })];
  const world = createWorld({ rules, figure: (day) => (day >= 20 ? 100 : dropOnDay20(day)) });
  await world.ticks(0, 22);
  expect(world.notified()).toEqual(['fired sales']);
  const [alert] = await world.alerts.loadOfRule('sales');
  expect(alert?.incidents).toEqual([{ startAt: dayAt(20).startAt, endAt: dayAt(22).endAt }]);
});

describe('segments', () => {
  const rules = [ruleNamed('by-country', { group_by: 'device_country' })];
  const segments = ['Germany', 'France', 'Malta'];

  it('are evaluated independently', async () => {
    const figure = (day: number, { segment }: { segment?: string }) =>
      segment === 'France' && day === 20 ? 100 : 1000;
    const world = createWorld({ rules, segments, figure });
    await world.ticks(0, 20);
    expect(world.notified()).toEqual(['fired by-country [France]']);
  });

  it('that disappear have fallen to zero', async () => {
    const figure = (day: number, { segment }: { segment?: string }) =>
      segment === 'Malta' && day >= 20 ? undefined : 1000;
    const world = createWorld({ rules, segments, figure });
    await world.ticks(0, 22);
    expect(world.notified()).toEqual(['fired by-country [Malta]']);
    expect(world.channel.sent[0]?.text).toContain('The rule by-country in Malta down to 0.');
  });

  it('of a rule on means recover if they disappear while firing', async () => {
    const rage = ruleNamed('rage', {
      metric: 'rage_gestures_per_session',
      filters: [],
      group_by: 'app_version',
      fire: { change: { above: '100%' } },
    });
    const figure = (day: number, { segment }: { segment?: string }) =>
      segment !== 'Malta' ? 100 : day >= 23 ? undefined : day >= 20 ? 900 : 100;
    const world = createWorld({ rules: [rage], segments, figure });
    await world.ticks(0, 28);
    expect(world.notified()).toEqual(['fired rage [Malta]', 'recovered rage [Malta]']);
  });

  it('that fall together are in one message', async () => {
    const figure = (day: number, { segment }: { segment?: string }) =>
      day < 20 ? 1000 : segment === 'Germany' ? 10 : 200;
    const world = createWorld({ rules, segments, figure });
    await world.ticks(0, 20);
    expect(world.channel.sent).toHaveLength(1);
    expect(world.channel.sent[0]?.title).toBe('The rule by-country in Germany down 99%, and 2 more');
    expect(world.notified()[0]).toBe('fired by-country [Germany]');
  });
});

describe('when the service cannot be read', () => {
  const down = { kind: 'failed', reason: 'the data access service did not answer', retryable: true } as const;

  it('a firing alert keeps its state', async () => {
    const world = createWorld(drop);
    await world.ticks(0, 20);
    const [before] = await world.alerts.loadOfRule('sales');
    world.source.trouble = down;
    await world.ticks(21, 24);
    const [after] = await world.alerts.loadOfRule('sales');
    expect(after).toMatchObject({
      state: 'firing',
      fired: before?.fired,
      evaluatedThroughAt: before?.evaluatedThroughAt,
    });
    expect(after?.health).toMatchObject({ kind: 'failing', reason: { error: down.reason }, streak: 4 });
  });

  it('the first and fifth failure and the recovery are notified, then missed windows are evaluated', async () => {
    const world = createWorld(drop);
    await world.ticks(0, 10);
    world.source.trouble = down;
    await world.ticks(11, 20);
    expect(world.notified()).toEqual(['failing sales', 'broken sales']);
    expect(world.channel.sent[0]?.items[0]?.facts[0]).toEqual({ label: 'Why', text: down.reason });
    world.source.trouble = undefined;
    await world.tick(21);
    expect(world.notified().slice(2).toSorted()).toEqual(['fired sales', 'healed sales']);
  });

  it('the failure is logged', async () => {
    const world = createWorld(drop);
    world.source.trouble = down;
    await world.tick(0);
    expect(world.logged).toContainEqual({
      message: 'rules could not be evaluated',
      fields: { rules: ['sales'], reason: down.reason },
    });
  });

  it('an exhausted budget makes rules inconclusive until it has calls again', async () => {
    const world = createWorld(drop);
    await world.ticks(0, 18);
    world.source.trouble = { kind: 'budget-spent', reason: 'the budget of calls is spent' };
    await world.ticks(19, 20);
    const [alert] = await world.alerts.loadOfRule('sales');
    expect(alert?.health).toMatchObject({ kind: 'inconclusive', reason: { code: 'calls-spent' } });
    world.source.trouble = undefined;
    await world.tick(21);
    expect(world.notified()).toEqual(['stalled sales', 'fired sales', 'healed sales']);
  });

  it('the most severe rules get the last calls, before any reread', async () => {
    const inCountry = (id: string, severity: 'info' | 'critical') =>
      ruleNamed(id, {
        severity,
        restate_for: '2 days',
        filters: [{ attribute: 'device_country', operator: 'equal', value: id }],
      });
    const world = createWorld({
      rules: [inCountry('minor', 'info'), inCountry('vital', 'critical')],
      figure: () => 1000,
    });
    await world.ticks(0, 19);
    let left = 1;
    world.source.troubles = () => left-- <= 0;
    world.source.trouble = { kind: 'budget-spent', reason: 'no calls are left this hour' };
    const readNewest = world.source.readNewestEventAt.bind(world.source);
    world.source.readNewestEventAt = async () => ({ kind: 'read', value: world.clock.now() });
    await world.tick(20);
    world.source.readNewestEventAt = readNewest;
    const evaluated = async (id: string) => (await world.alerts.loadOfRule(id))[0]?.evaluatedThroughAt;
    expect(await evaluated('vital')).toBe(dayAt(20).endAt);
    expect(await evaluated('minor')).toBe(dayAt(19).endAt);
  });

  it('the history of all rules is read over several runs if time is short', async () => {
    const rules = ['a', 'b', 'c'].map((id) =>
      ruleNamed(id, { filters: [{ attribute: 'device_country', operator: 'equal', value: id }] }),
    );
    const world = createWorld({ rules, figure: () => 1000 });
    world.source.hasBuckets = false;
    const read = world.source.read.bind(world.source);
    const readPast = new Set<string>();
    world.source.read = async (question) => {
      const isPast = question.window.endAt < world.clock.now() - 3 * DAY;
      if (isPast) for (const { value } of question.filters) readPast.add(String(value));
      world.clock.advanceTo(world.clock.now() + 8_000);
      return read(question);
    };
    await world.ticks(0, 8);
    expect([...readPast].sort()).toEqual(['a', 'b', 'c']);
  });

  it('a stopped source is notified for the app, and is not a drop', async () => {
    const world = createWorld(drop);
    await world.ticks(0, 18);
    world.source.stoppedAt = dayAt(19).endAt - HOUR;
    await world.ticks(19, 24);
    const [alert] = await world.alerts.loadOfRule('sales');
    expect(world.notified()).toEqual(['stopped app:demo']);
    expect(world.channel.sent[0]?.text).toMatch(/^Critical: No data from demo since Sat 23:00 \(UTC\)\. /);
    expect(alert).toMatchObject({ evaluatedThroughAt: dayAt(18).endAt, health: { kind: 'inconclusive' } });
    world.source.stoppedAt = Number.POSITIVE_INFINITY;
    await world.tick(25);
    expect(world.notified()).toEqual(['stopped app:demo', 'resumed app:demo']);
  });

  it('a window is evaluated only when its data are complete', async () => {
    const lateUntil = dayAt(22).endAt;
    const figure = (day: number, _series: unknown, now: number) =>
      day === 20 && now < lateUntil ? 50 : 1000;
    const world = createWorld({ ...drop, figure });
    await world.ticks(0, 19);
    world.source.stoppedAt = dayAt(20).startAt + HOUR;
    await world.ticks(20, 21);
    world.source.stoppedAt = Number.POSITIVE_INFINITY;
    await world.ticks(22, 30);
    expect(world.notified().filter((each) => each.startsWith('fired'))).toEqual([]);
  });

  it('a service that is down is called once per run, not once per family', async () => {
    const rules = ['event_count', 'sessions', 'new_users'].map((metric) =>
      ruleNamed(metric.replace('_', '-'), { metric, filters: [] }),
    );
    const world = createWorld({ ...drop, rules });
    await world.ticks(0, 1);
    world.source.trouble = down;
    const reads = world.source.reads;
    await world.tick(2);
    expect(world.source.reads - reads).toBeLessThanOrEqual(1);
    expect(world.notified().toSorted()).toEqual([
      'failing event-count',
      'failing new-users',
      'failing sessions',
    ]);
  });

  it('a family that always fails does not prevent the evaluation of others', async () => {
    const rules = [ruleNamed('people', { metric: 'users', filters: [] }), ruleNamed('sales')];
    const world = createWorld({ ...drop, rules });
    world.source.trouble = down;
    world.source.troubles = ({ endpoint }) => endpoint === 'user';
    const spare = world.source.readNewestEventAt;
    world.source.readNewestEventAt = async () => ({ kind: 'read', value: world.clock.now() });
    await world.ticks(0, 20);
    world.source.readNewestEventAt = spare;
    expect(world.notified()).toEqual(['failing people', 'broken people', 'fired sales']);
  });

  it('the first window of a new rule is evaluated later', async () => {
    const world = createWorld(drop);
    world.source.trouble = down;
    await world.tick(20);
    world.source.trouble = undefined;
    await world.tick(21);
    expect(world.notified()).toEqual(['failing sales', 'fired sales']);
  });
});

describe('when Slack cannot be reached', () => {
  it('the message stays pending, is logged, and is sent later', async () => {
    const world = createWorld(drop);
    await world.ticks(0, 19);
    world.channel.refuseNext({ kind: 'refused', permanent: false, reason: 'no answer' });
    await world.tick(20);
    const [alert] = await world.alerts.loadOfRule('sales');
    expect(Object.values(alert?.pending ?? {})).toMatchObject([{ transition: 'fired', attempts: 1 }]);
    expect(world.logged.some(({ message }) => message.includes('stays pending'))).toBe(true);
    await world.tick(21);
    expect(world.notified()).toEqual(['fired sales']);
  });
});

describe('a changed rule', () => {
  const stricter = ruleNamed('sales', { minimum: { baseline: 10 } });

  it('that fires is restarted with a notification, and excludes the incident from its baseline', async () => {
    const rules = [ruleNamed('sales', { compare: { to: 'same_weekday' } })];
    const world = createWorld({ rules, figure: dropOnDay20 });
    await world.ticks(0, 21);
    world.deploy(ruleNamed('sales', { compare: { to: 'same_weekday' }, minimum: { baseline: 10 } }));
    await world.ticks(22, 35);
    expect(world.notified()).toEqual(['fired sales', 'restarted sales', 'fired sales', 'recovered sales']);
  });

  it('fires again during the incident, even if the day before is as low', async () => {
    const world = createWorld({ ...drop, figure: (day) => (day >= 20 ? 300 : dropOnDay20(day)) });
    await world.ticks(0, 21);
    world.deploy(stricter);
    await world.tick(22);
    expect(world.notified().toSorted()).toEqual(['fired sales', 'fired sales', 'restarted sales']);
  });

  it('that works again is notified as healed', async () => {
    const world = createWorld(drop);
    world.source.trouble = { kind: 'failed', reason: 'the filter is refused', retryable: false };
    await world.ticks(0, 5);
    world.source.trouble = undefined;
    world.deploy(stricter);
    await world.tick(6);
    expect(world.notified()).toEqual(['failing sales', 'broken sales', 'healed sales']);
  });

  it('with data again is notified if it had none before the change', async () => {
    let figure: number | undefined;
    const world = createWorld({
      rules: [ruleNamed('sales', { metric: 'session_seconds' })],
      figure: () => figure,
    });
    figure = 1000;
    await world.ticks(0, 1);
    figure = undefined;
    await world.ticks(2, 23);
    expect(world.notified()).toEqual(['no-data sales']);
    figure = 1000;
    world.deploy(ruleNamed('sales', { metric: 'sessions', filters: [] }));
    await world.ticks(24, 26);
    expect(world.notified()).toEqual(['no-data sales', 'data-back sales']);
  });

  it('without segments ends the open alerts of its former segments', async () => {
    const byCountry = ruleNamed('sales', { group_by: 'device_country' });
    const world = createWorld({ rules: [byCountry], segments: ['Malta', 'Cyprus'], figure: dropOnDay20 });
    await world.ticks(0, 20);
    world.deploy(ruleNamed('sales'));
    await world.tick(21);
    const open = (await world.alerts.loadOfRule('sales')).filter(
      ({ segment, state }) => segment && state !== 'normal',
    );
    expect(open).toEqual([]);
    expect(world.notified().filter((each) => each.startsWith('restarted'))).toHaveLength(2);
  });

  it('is not affected by a batch that was planned before the change', async () => {
    const world = createWorld(drop);
    await world.ticks(0, 20);
    const [batch] = world.planned.slice(-1);
    world.deploy(stricter);
    await world.tick(21);
    const before = await world.alerts.loadOfRule('sales');
    if (batch) await world.check(batch);
    expect(await world.alerts.loadOfRule('sales')).toEqual(before);
  });
});

describe('calls to the service', () => {
  it('are shared by rules that differ only in event name', async () => {
    const rules = Array.from({ length: 100 }, (_, i) =>
      ruleNamed(`rule-${i}`, {
        filters: [{ attribute: 'event_name', operator: 'equal', value: `event_${i}` }],
      }),
    );
    const world = createWorld({ rules, figure: () => 1000 });
    await world.tick(0);
    expect(world.source.questions).toHaveLength(1);
    await world.tick(1);
    expect(world.source.questions).toHaveLength(2);
  });

  it('are one per tick once the history is known, and none for a repeated tick', async () => {
    const world = createWorld({ ...drop, rules: [ruleNamed('sales', { compare: { to: 'same_weekday' } })] });
    const asked = () => world.source.questions.length + world.source.ranges.length;
    await world.tick(0);
    expect(asked()).toBe(4);
    await world.ticks(1, 13);
    expect(asked()).toBe(17);
    await world.tick(13);
    expect(asked()).toBe(17);
  });
});

describe('a process that dies after any write', () => {
  const rules = [
    ruleNamed('sales'),
    ruleNamed('by-country', { group_by: 'device_country' }),
    ruleNamed('weekly', { compare: { to: 'same_weekday' } }),
  ];
  const options = { rules, segments: ['Germany', 'France'], figure: dropOnDay20 };

  async function crashed(writes: number, resume: (world: ReturnType<typeof createWorld>) => Promise<void>) {
    const world = createWorld(options);
    await world.ticks(0, 19);
    world.crashAfter(writes);
    const outcome = await world.tick(20).then(
      () => 'finished',
      (error: unknown) => (error instanceof Crash ? 'crashed' : Promise.reject(error)),
    );
    world.revive();
    await resume(world);
    return { world, outcome };
  }

  it.each([
    ['when the tick is delivered again', (world: ReturnType<typeof createWorld>) => world.tick(20)],
    [
      'when the tick is lost and only the next one comes',
      (world: ReturnType<typeof createWorld>) => world.tick(21),
    ],
  ])('loses no notification, %s', async (_name, resume) => {
    const whole = createWorld(options);
    await whole.ticks(0, 20);
    const expected = new Set(whole.notified());
    expect(expected.size).toBe(4);

    let writes = 0;
    for (; ; writes++) {
      const { world, outcome } = await crashed(writes, async (it) => {
        // The lease of the dead process expires first.
        it.clock.advanceTo(it.clock.now() + 300_000);
        await resume(it);
      });
      expect(new Set(world.notified()), `died after write ${writes}`).toEqual(expected);
      if (outcome === 'finished') break;
    }
    expect(writes).toBeGreaterThan(15);
  });

  it('sends a message at most twice', async () => {
    for (let writes = 0; writes < 40; writes += 3) {
      const { world } = await crashed(writes, async (it) => {
        it.clock.advanceTo(it.clock.now() + 300_000);
        await it.tick(20);
        await it.tick(20);
      });
      expect(world.channel.sent.length, `died after write ${writes}`).toBeLessThanOrEqual(2);
    }
  });
});

it('two concurrent runs of notify send a message once', async () => {
  const world = createWorld(drop);
  await world.ticks(0, 19);
  await Promise.all([world.tick(20), world.tick(20)]);
  expect(world.notified()).toEqual(['fired sales']);
});
