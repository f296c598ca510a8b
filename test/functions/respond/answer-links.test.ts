import { describe, expect, it } from 'vitest';
import type { Alert } from '../../../shared/alerts/alert.ts';
import type { AlertStore } from '../../../shared/alerts/alert-store.ts';
import { advance, restate } from '../../../shared/alerts/lifecycle.ts';
import { EFFECTS } from '../../../shared/messages/answer-text.ts';
import { messageLinks } from '../../../shared/messages/message-links.ts';
import { ConflictError } from '../../../shared/runtime/errors.ts';
import { inMemoryAlertStore } from '../../../shared/store/in-memory/stores.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import { aNotification } from '../../contracts/samples.ts';
import { inMemoryUsedLinks } from '../../fakes/in-memory-used-links.ts';
import { breached, evaluationOf, MONDAY, ruleNamed, ruleSetOf } from '../../fixtures/builders.ts';
import { type Desk, firing, NOW, openDesk, RULE, URL_ROOT } from './desk.ts';

const ANNA = { by: 'Anna', reason: 'looking at it' };

/** The visible text. */
const textOf = async (response: Response) =>
  (await response.text())
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"');

describe('opening a link', () => {
  it('shows the alert and the effect, and asks for a name', async () => {
    const desk = await openDesk();
    const response = await desk.request(await desk.linkTo('snooze-1d'));
    expect(response.status).toBe(200);
    const text = await textOf(response.clone());
    expect(text).toContain('Snooze 1 day?');
    expect(text).toContain('Sales');
    expect(text).toContain('40 events');
    expect(text).toContain('60 fewer (-60%)');
    expect(text).toMatch(/Firing since Mon 2 Mar 2026, 00:00 \(UTC\)/);
    expect(text).toContain('Not acknowledged');
    expect(text).toContain(EFFECTS['snooze-1d']);
    const markup = await response.text();
    expect(markup).toContain('<form method="post"');
    expect(markup).not.toContain('<script');
  });

  it.each(['GET', 'HEAD', 'OPTIONS'])('by %s changes and stores nothing', async (method) => {
    const desk = await openDesk();
    const path = await desk.linkTo('accept');
    const before = await desk.stored();
    const response = await desk.request(path, { method });
    expect(desk.writes).toEqual([]);
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(await desk.stored()).toEqual(before);
    expect((await desk.post(path, ANNA)).status).toBe(200);
  });

  it('is neither sent as a referrer nor cached', async () => {
    const desk = await openDesk();
    const { headers } = await desk.request(await desk.linkTo('accept'));
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toContain('no-store');
    expect(headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  it('suggests the last name', async () => {
    const desk = await openDesk();
    const answered = await desk.post(await desk.linkTo('snooze-1h'), ANNA);
    const cookie = answered.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^name=Anna;.*Path=\/; HttpOnly; Secure; SameSite=Lax/);
    const again = await desk.request(await desk.linkTo('snooze-1d'), { headers: { Cookie: 'name=Anna' } });
    expect(await again.text()).toContain('value="Anna"');
  });
});

describe('the button of a link', () => {
  it('gives the answer, confirms it, and records author and reason', async () => {
    const desk = await openDesk();
    const response = await desk.post(await desk.linkTo('acknowledge'), ANNA);
    expect(await textOf(response)).toContain('Done: Acknowledge');
    const stored = await desk.stored();
    expect(stored.acknowledged).toEqual({ ...ANNA, at: NOW });
    expect(stored.answers).toMatchObject([{ answer: 'acknowledge', ...ANNA, at: NOW, link: 'link-1' }]);
    expect(Object.values(stored.pending)).toMatchObject([
      {
        ...{ transition: 'acknowledged', channel: 'team', since: NOW },
        reason: { code: 'acknowledged', by: 'Anna', note: 'looking at it' },
      },
    ]);
  });

  it.each([{}, { by: '' }, { by: ' \u200b\n' }, { by: 'x'.repeat(81) }])(
    'asks again without a name: %j',
    async (form) => {
      const desk = await openDesk();
      const response = await desk.post(await desk.linkTo('accept'), form);
      expect(response.status).toBe(400);
      expect(await textOf(response)).toContain('Enter your name');
      expect(desk.writes).toEqual([]);
    },
  );

  it('needs no origin: the link is the permission', async () => {
    const desk = await openDesk();
    const response = await desk.post(await desk.linkTo('incident'), ANNA, { Origin: 'null' });
    expect(response.status).toBe(200);
  });
});

describe('a link is valid once', () => {
  it('and then shows who used it, and when', async () => {
    const desk = await openDesk();
    const path = await desk.linkTo('snooze-1h');
    await desk.post(path, ANNA);
    const before = await desk.stored();
    for (const response of [await desk.post(path, { by: 'Ben' }), await desk.request(path)]) {
      expect(response.status).toBe(410);
      const text = await textOf(response);
      expect(text).toContain('Nothing changed');
      expect(text).toContain('Anna used this link Tue 3 Mar 2026, 09:00 (UTC). A link works once');
    }
    expect(await desk.stored()).toEqual(before);
  });

  it('when two people submit it at the same time', async () => {
    const desk = await openDesk();
    const path = await desk.linkTo('snooze-1h');
    const both = await Promise.all([desk.post(path, ANNA), desk.post(path, { by: 'Ben' })]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 410]);
    expect((await desk.stored()).answers).toHaveLength(1);
  });

  it('even if the alert no longer stores it', async () => {
    const desk = await openDesk();
    const path = await desk.linkTo('snooze-1h');
    await desk.post(path, ANNA);
    await desk.alerts.save({ ...(await desk.stored()), answers: [] });
    expect((await desk.post(path, { by: 'Ben' })).status).toBe(410);
  });

  it('even if saving the use fails, because the answer is stored', async () => {
    const used = inMemoryUsedLinks();
    let isDead = true;
    const dying = {
      ...used,
      save: async (...args: Parameters<typeof used.save>) => {
        if (isDead) throw new Error('the process died');
        return used.save(...args);
      },
    };
    const desk = await openDesk({ used: dying });
    const path = await desk.linkTo('snooze-1h');
    expect((await desk.post(path, ANNA)).status).toBe(500);
    expect((await desk.stored()).snoozed?.by).toBe('Anna');
    isDead = false;
    desk.clock.advanceTo(NOW + HOUR_MS);
    expect(await textOf(await desk.post(path, ANNA))).toContain('Anna used this link');
    expect((await desk.stored()).answers).toHaveLength(1);
  });

  it('and can be used again if saving the answer fails', async () => {
    let isDead = true;
    const alerts = await storeWith(firing());
    const desk = await openDesk({
      alerts: {
        ...alerts,
        save: async (alert) => {
          if (isDead) throw new Error('the process died');
          return alerts.save(alert);
        },
      },
    });
    const path = await desk.linkTo('snooze-1h');
    const failed = await desk.post(path, ANNA);
    expect(failed.status).toBe(500);
    expect(await failed.text()).not.toContain('died');
    isDead = false;
    expect((await desk.post(path, ANNA)).status).toBe(200);
  });

  it('and counts once if the confirmation of the save is lost', async () => {
    const alerts = await storeWith(firing());
    const lost = async (alert: Alert) => {
      await alerts.save(alert);
      throw new ConflictError('sent again by the client, and refused for having been done');
    };
    const desk = await openDesk({ alerts: { ...alerts, save: lost } });
    const response = await desk.post(await desk.linkTo('snooze-1h'), ANNA);
    expect(await textOf(response)).toContain('Done: Snooze 1 h');
  });
});

it('an answer applies to the current state of the alert', async () => {
  const alerts = await storeWith(firing());
  let isFirst = true;
  const overtaken: AlertStore = {
    ...alerts,
    async save(alert) {
      if (isFirst) {
        isFirst = false;
        await alerts.save({ ...alert, acknowledged: { by: 'Ben', at: NOW, reason: '' }, answers: [] });
      }
      return alerts.save(alert);
    },
  };
  const desk = await openDesk({ alerts: overtaken });
  const response = await desk.post(await desk.linkTo('acknowledge'), ANNA);
  expect(response.status).toBe(409);
  expect(await textOf(response)).toContain('Ben acknowledged it already');
});

describe('a link without effect says so', () => {
  const tampered = async (path: string) => {
    const [header, payload = '', signature] = path.slice('/a/'.length).split('.');
    const claims = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), answer: 'accept' };
    return `/a/${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`;
  };

  it.each<[string, number, string, (desk: Desk) => Promise<string>]>([
    ['that was changed', 403, 'Invalid link', async (desk) => tampered(await desk.linkTo('snooze-1h'))],
    [
      'that is not a token',
      403,
      'Invalid link',
      async () => '/a/eyJhbGciOiJub25lIn0.eyJhdWQiOiJhbnN3ZXIifQ.',
    ],
    [
      'that has another purpose',
      403,
      'Invalid link',
      async (desk) => `/a/${await desk.sign('session', { by: 'Anna' })}`,
    ],
    [
      'that has expired',
      410,
      'Link expired',
      async (desk) => {
        const path = await desk.linkTo('snooze-1h');
        desk.clock.advanceTo(NOW + 14 * DAY_MS);
        return path;
      },
    ],
    [
      'to an alert that recovered',
      409,
      'The alert stopped firing Wed 4 Mar 2026, 00:00 (UTC)',
      async (desk) => {
        const recovered = advance(await desk.stored(), evaluationOf(1), RULE).alert;
        await desk.alerts.save(recovered);
        return desk.linkTo('accept');
      },
    ],
    [
      'to an alert that has fired again since',
      409,
      'firing again since Thu 5 Mar 2026, 00:00 (UTC)',
      async (desk) => {
        const recovered = advance(await desk.stored(), evaluationOf(1), RULE).alert;
        await desk.alerts.save(advance(recovered, breached(2), RULE).alert);
        return desk.linkTo('accept');
      },
    ],
    [
      'to an alert that no longer exists',
      404,
      'Alert not found',
      (desk) => desk.linkTo('accept', { segment: 'Atlantis' }),
    ],
    [
      'of a removed rule',
      409,
      'The rule was removed',
      async (desk) => {
        await desk.rules.save({ ...ruleSetOf(ruleNamed('other')), version: 'v2' });
        return desk.linkTo('accept');
      },
    ],
  ])('%s', async (_, status, says, pathIn) => {
    const desk = await openDesk();
    const path = await pathIn(desk);
    desk.writes.length = 0;
    const before = await desk.stored();
    for (const response of [await desk.request(path), await desk.post(path, ANNA)]) {
      expect(response.status).toBe(status);
      expect((await textOf(response)).replaceAll(' ,', ',')).toContain(says);
    }
    expect(desk.writes).toEqual([]);
    expect(await desk.stored()).toEqual(before);
  });
});

describe('text from outside', () => {
  const HOSTILE = '<img src=x onerror="alert(1)">';

  it('is escaped', async () => {
    const rule = ruleNamed('sales', { title: HOSTILE, group_by: 'device_country' });
    const alert = firing(rule, { segment: '"><script>alert(2)</script>' });
    const desk = await openDesk({}, { alert, rule });
    const path = await desk.linkTo('acknowledge');
    const shown = await desk.request(path);
    const done = await desk.post(path, { by: HOSTILE, reason: '<b>why</b>' });
    for (const response of [shown, done, await desk.request(path)]) {
      const markup = await response.text();
      expect(markup).not.toMatch(/<img src=x|<script>|<b>why/);
      expect(markup).toContain('&lt;');
    }
    expect((await desk.stored()).acknowledged).toEqual({ by: HOSTILE, reason: '<b>why</b>', at: NOW });
  });

  it('is stripped of line breaks and of direction marks', async () => {
    const desk = await openDesk();
    await desk.post(await desk.linkTo('acknowledge'), { by: ' Anna\r\nAdmin\u202e ', reason: 'a\u0000b' });
    expect((await desk.stored()).acknowledged).toMatchObject({ by: 'Anna Admin', reason: 'a b' });
  });

  it('has a length limit', async () => {
    const desk = await openDesk();
    const path = await desk.linkTo('acknowledge');
    expect((await desk.post(path, { by: 'Anna', reason: 'x'.repeat(501) })).status).toBe(400);
    expect((await desk.post(path, { by: 'Anna', reason: 'x'.repeat(100_000) })).status).toBe(413);
    expect(desk.writes).toEqual([]);
  });
});

async function storeWith(alert: Alert): Promise<AlertStore> {
  const alerts = inMemoryAlertStore();
  await alerts.save(alert);
  return alerts;
}

it('answers the fire of its message, not an earlier one for the same window', async () => {
  const desk = await openDesk();
  const links = messageLinks(desk.signer, URL_ROOT);
  const linkNow = async () => {
    const alert = await desk.stored();
    const about = { windowEndAt: MONDAY + DAY_MS, firedWindowEndAt: MONDAY + DAY_MS, evaluation: null };
    const notification = aNotification({ transition: 'fired', channel: 'team', ...about });
    const { answers } = await links.linksFor({ key: 'key', alert, notification, rule: RULE });
    return new URL(answers.find(({ answer }) => answer === 'acknowledge')?.url ?? '').pathname;
  };
  const first = await linkNow();
  expect((await desk.post(first, { by: 'Anna' })).status).toBe(200);
  await desk.alerts.save(restate(await desk.stored(), evaluationOf(0), RULE).alert);
  await desk.alerts.save(restate(await desk.stored(), breached(0), RULE).alert);
  expect((await desk.post(await linkNow(), { by: 'Ben' })).status).toBe(200);
  expect((await desk.stored()).acknowledged?.by).toBe('Ben');
});

it('names the day of a holiday before and after the answer', async () => {
  const desk = await openDesk();
  desk.clock.advanceTo(NOW + 2 * DAY_MS);
  const link = await desk.linkTo('holiday');
  const day = 'Mon 2 Mar 2026 (UTC)';
  expect(await textOf(await desk.request(link))).toContain(`on ${day}`);
  expect(await textOf(await desk.post(link, { by: 'Anna' }))).toContain(`Recorded: ${day} is excused.`);
});

it('an answer fails if the rule cannot be read, and the link stays valid', async () => {
  const desk = await openDesk();
  const link = await desk.linkTo('acknowledge');
  const { loadCurrent } = desk.rules;
  desk.rules.loadCurrent = async () => ({ ...ruleSetOf(), version: 'newer', unreadable: [RULE.id] });
  const response = await desk.post(link, ANNA);
  expect(response.status).toBeGreaterThanOrEqual(500);
  expect(await textOf(response)).not.toContain('was removed');
  desk.rules.loadCurrent = loadCurrent;
  expect((await desk.post(link, ANNA)).status).toBe(200);
});
