import { beforeEach, describe, expect, test } from 'vitest';
import { rowKeysOf, seriesOf } from '../../../../shared/readings/series.ts';
import { alertOf, dayAt, evaluationOf, ruleNamed, ruleSetOf } from '../../../fixtures/builders.ts';
import { createScene, firing, HOSTILE, NOW, type Scene } from './scene.ts';

const purchases = ruleNamed('purchases', { title: 'Purchases fell', runbook: 'javascript:alert(1)' });
const signUps = ruleNamed('sign-ups', { title: 'Sign-ups moved', group_by: 'device_country' });

let scene: Scene;
beforeEach(async () => {
  scene = createScene();
  await scene.rules.save(ruleSetOf(purchases, signUps));
});

/** Saves the sign-ups of one day, by segment. */
function saveCounts(day: number, counts: Record<string, number>): Promise<void> {
  return scene.readings.save({
    family: seriesOf(signUps).family,
    window: dayAt(day),
    readAt: NOW,
    isAlone: true,
    eventNames: ['purchase'],
    keys: rowKeysOf([signUps]),
    rows: Object.entries(counts).map(([segment, count]) => ({
      segment,
      eventName: 'purchase',
      current: { event_count: count },
    })),
  });
}

describe('one rule', () => {
  test('shows its definition, and its alert each gate of the last evaluation with figures', async () => {
    const gates = [
      { gate: 'fresh', passed: true, code: 'fresh', figures: { newestDataAt: NOW } },
      {
        gate: 'threshold',
        passed: false,
        code: 'within-bounds',
        figures: { current: 1234, baseline: 1219, difference: 15, change: 0.012345 },
        bounds: { change: { below: -0.3 } },
      },
    ] as const;
    await scene.alerts.save(alertOf(purchases, { last: evaluationOf(2, { gates: [...gates] }) }));
    const { text } = await scene.get('/rules/purchases');
    expect(text).toContain('event_name equal "purchase"');
    expect(text).toContain('every day at 01:00 (UTC)');
    expect(text).toContain('change below -30%');
    expect(text).toContain('team (route default)');
    const alert = (await scene.get('/alerts/purchases')).text;
    expect(alert).toMatch(/Fresh data ✓ yes .* Crosses the threshold ✗ no 1,234 compared with 1,219/);
  });

  test('shows the last evaluation in the zone of the rule', async () => {
    const berlin = ruleNamed('in-berlin', { zone: 'Europe/Berlin' });
    await scene.rules.save({ ...ruleSetOf(berlin), version: 'next' });
    const fresh = {
      gate: 'fresh',
      passed: false,
      code: 'data-late',
      figures: { newestDataAt: NOW },
    } as const;
    await scene.alerts.save(alertOf(berlin, { last: evaluationOf(2, { gates: [fresh] }) }));
    const { text } = await scene.get('/alerts/in-berlin');
    expect(text).toContain('the newest is from Thu 5 Mar 2026, 04:00 (Europe/Berlin)');
  });

  test('shows since when it matches nothing, and how to list the names that exist', async () => {
    const unmatched = { sinceAt: dayAt(-40).startAt, windows: 40, isNew: false, notified: false };
    await scene.alerts.save(alertOf(purchases, { unmatched }));
    const { text } = await scene.get('/rules/purchases');
    expect(text).toMatch(
      /Has matched nothing since Wed 21 Jan 2026, 00:00 \(UTC\).*deltawatch check --live lists/,
    );
    await scene.alerts.save(alertOf(signUps, { unmatched: { ...unmatched, sinceAt: dayAt(-20).startAt } }));
    expect((await scene.get('/rules/sign-ups')).text).not.toContain('Has matched nothing');
  });

  test('shows its recent windows as a chart and as a table', async () => {
    await scene.alerts.save(firing(purchases));
    for (const [day, count] of [90, 100, 40].entries())
      await scene.readings.save({
        family: seriesOf(purchases).family,
        window: dayAt(day),
        readAt: NOW,
        eventNames: ['purchase'],
        keys: rowKeysOf([purchases]),
        rows: [{ eventName: 'purchase', current: { event_count: count }, previous: { event_count: 80 } }],
      });
    const { html, text } = await scene.get('/rules/purchases');
    expect(html).toContain('<figure class="chart" data-source="/rules/purchases/series?">');
    expect(text).toContain('start of the day (UTC)');
    expect(text).toMatch(/Wed 4 Mar 2026 \(UTC\) 40 .*breached/);
  });

  test('shows the time asked for, and keeps it and the segment in its form', async () => {
    for (let day = -80; day <= 2; day++) await saveCounts(day, { Malta: 1000 + day });
    await scene.alerts.save(alertOf(signUps, { segment: 'Malta', last: evaluationOf(2) }));
    const { text, html } = await scene.get('/alerts/sign-ups?segment=Malta&from=2026-02-01&until=2026-02-03');
    expect(text).toContain('Earlier windows');
    expect(text).toMatch(/Tue 3 Feb 2026 \(UTC\) 973 .* Sun 1 Feb 2026 \(UTC\) 971/);
    expect(text).not.toContain('31 Jan 2026');
    expect(html).toContain('<input type="hidden" name="segment" value="Malta">');
    expect(html).toContain('<input type="date" name="from" value="2026-02-01">');
    const later = await scene.get('/alerts/sign-ups?segment=Malta&from=2030-02-01');
    expect(later.text).toContain('No data is stored for this time.');
    expect(later.html).toContain('<input type="date" name="from" value="2030-02-01">');
  });

  test.each(['yesterday', '2026-13-01T00:00:00Z', '2999-01-01T00:00:00Z', ''])(
    'shows the last windows until %s',
    async (until) => {
      await scene.alerts.save(alertOf(purchases, { last: evaluationOf(2) }));
      const { text } = await scene.get(`/rules/purchases?${new URLSearchParams({ until })}`);
      expect(text).toContain('Recent windows No data is stored yet.');
    },
  );

  test('shows its most severe segment, and links to all, whatever their names', async () => {
    await scene.alerts.save(firing(signUps, { segment: HOSTILE }));
    await scene.alerts.save(alertOf(signUps, { segment: 'a&b="c"' }));
    const { html, text } = await scene.get('/rules/sign-ups');
    expect(text).toContain(
      `Segments of Sign-ups moved device_country State Baseline → last window Change Since ${HOSTILE}`,
    );
    expect(html).not.toContain('<script>');
    expect(html).not.toContain('<img src=x');
    expect(html).toContain('<a href="/alerts/sign-ups?segment=a%26b%3D%22c%22">');
  });

  test('links only runbooks with a web address', async () => {
    await scene.alerts.save(firing(purchases));
    for (const path of ['/rules/purchases', '/alerts/purchases']) {
      const { html, text } = await scene.get(path);
      expect(html).not.toContain('href="javascript:');
      expect(text).toContain('javascript:alert(1)');
    }
  });
});

describe('the list of rules', () => {
  test('can be searched by title, app and owner, ignoring case', async () => {
    const { text } = await scene.get('/rules?q=FELL+shop');
    expect(text).toContain('Purchases fell');
    expect(text).not.toContain('Sign-ups moved');
    expect((await scene.get('/rules?q=nothing')).text).toContain('Nothing matches the filters. Show all');
  });

  test('has pages of fifty rules, and loads only the alerts that it shows', async () => {
    const many = Array.from({ length: 230 }, (_, i) => ruleNamed(`rule-${String(i).padStart(3, '0')}`));
    await scene.rules.save({ ...ruleSetOf(...many), version: 'many' });
    const asked: number[] = [];
    const { load } = scene.alerts;
    scene.alerts.load = (keys) => {
      asked.push(keys.length);
      return load(keys);
    };
    const last = await scene.get('/rules?page=5&q=rule');
    expect(last.text).toContain('Page 5 of 5, 230 total');
    expect(last.text).toContain('The rule rule-229');
    expect(last.html).toContain('href="/rules?q=rule&amp;page=4"');
    expect((await scene.get('/rules?page=9')).text).toContain('Page 1 of 5');
    expect(asked).toEqual([30, 50]);
  });
});
