import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';
import { dayAt, ruleNamed } from '../fixtures/builders.ts';
import { Crash, createWorld, drop, dropOnDay20 } from './world.ts';

describe('when the service cannot be read', () => {
  const down = { kind: 'failed', reason: 'the data access service did not answer', retryable: true } as const;

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
      const isPast = question.window.endAt < world.clock.now() - 3 * DAY_MS;
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
    world.source.stoppedAt = dayAt(19).endAt - HOUR_MS;
    await world.ticks(19, 24);
    const [alert] = await world.alerts.loadOfRule('sales');
    expect(world.notified()).toEqual(['stopped app:demo']);
    expect(world.channel.sent[0]?.text).toMatch(
      /^Critical: No data from demo since Sat 21 Mar 2026, 23:00 \(UTC\)\. /,
    );
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
    world.source.stoppedAt = dayAt(20).startAt + HOUR_MS;
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
