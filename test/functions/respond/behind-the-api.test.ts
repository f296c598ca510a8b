import { handle, type LambdaEvent } from 'hono/aws-lambda';
import { describe, expect, it } from 'vitest';
import { authorizedName, authorizedVisitor } from '../../../functions/respond/authorized-name.ts';
import { newAppAlert } from '../../../shared/alerts/app-alert.ts';
import { ADMIN } from '../../../shared/alerts/roles.ts';
import { alertPath } from '../../../shared/messages/page-paths.ts';
import { NOW, openDesk, URL_ROOT } from './desk.ts';

interface Asked {
  method?: string;
  path: string;
  form?: Record<string, string>;
  cookies?: string[];
  authorizer?: object;
}

/** A request in the format of an HTTP API. */
function eventOf({ method = 'GET', path, form, cookies, authorizer }: Asked): LambdaEvent {
  const domainName = 'abc123.execute-api.eu-central-1.amazonaws.com';
  const [asked = '', rawQueryString = ''] = path.split('?');
  // AWS decodes the path, but not the query: https://github.com/honojs/hono/issues/2156
  const rawPath = decodeURIComponent(asked);
  const event = {
    ...{ version: '2.0', routeKey: '$default', rawPath, rawQueryString, ...(cookies && { cookies }) },
    headers: {
      ...{ host: domainName, origin: URL_ROOT },
      ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    requestContext: {
      ...{ accountId: '1', apiId: 'abc123', domainName, domainPrefix: 'abc123', requestId: 'r' },
      ...{ authentication: null, authorizer, routeKey: '$default', stage: '$default' },
      ...{ time: '03/Mar/2026:09:00:00 +0000', timeEpoch: 0 },
      http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp: '203.0.113.1', userAgent: 'test' },
    },
    ...(form && { body: Buffer.from(new URLSearchParams(form).toString()).toString('base64') }),
    isBase64Encoded: form !== undefined,
  };
  // The type requires the fields of the older format too.
  return event as unknown as LambdaEvent;
}

describe('behind the API', () => {
  it('a link works under the host name of the API', async () => {
    const desk = await openDesk();
    const call = handle(desk.app);
    const path = await desk.linkTo('acknowledge');
    expect(await call(eventOf({ path }))).toMatchObject({ statusCode: 200 });
    const done = await call(eventOf({ method: 'POST', path, form: { by: 'Anna' } }));
    expect(done).toMatchObject({ statusCode: 200, cookies: [expect.stringMatching(/^name=Anna;/)] });
    expect((await desk.stored()).acknowledged?.by).toBe('Anna');
  });

  it('a sign-in link starts a session', async () => {
    const desk = await openDesk();
    const call = handle(desk.app);
    const path = `/sign-in/${await desk.sign('sign-in', { by: 'Anna', to: '/rules' })}`;
    const entered = await call(eventOf({ method: 'POST', path, form: {} }));
    expect(entered).toMatchObject({ statusCode: 303, headers: { location: '/rules' } });
    const [cookie = ''] = 'cookies' in entered && Array.isArray(entered.cookies) ? entered.cookies : [];
    const cookies = [String(cookie).split(';')[0] ?? ''];
    expect(await call(eventOf({ path: '/rules', cookies }))).toMatchObject({ statusCode: 200 });
    expect(await call(eventOf({ path: '/rules' }))).toMatchObject({ statusCode: 401 });
  });

  it.each(['shop/eu', 'shop#1', 'shop?', '100%', 'shop%2Feu', 'a b', 'магазин'])(
    'the alert of an app can be opened and answered, whatever its name: %s',
    async (app) => {
      const alert = { ...newAppAlert(app), state: 'firing', stateSinceAt: NOW } as const;
      const access = { kind: 'authorized' as const, visitorOf: () => ({ name: 'anna', grants: ADMIN }) };
      const desk = await openDesk({ access }, { alert });
      const call = handle(desk.app);
      const shown = await call(eventOf({ path: alertPath(alert) }));
      expect(shown).toMatchObject({ statusCode: 200, body: expect.stringContaining(`No data from ${app}`) });
      const form = { rule: alert.ruleId, answer: 'acknowledge' };
      const done = await call(eventOf({ method: 'POST', path: '/alerts/answer', form }));
      expect(done).toMatchObject({ headers: { location: `${alertPath(alert)}&done=answered` } });
    },
  );

  it('the name from the authorizer is the author of an answer', async () => {
    const desk = await openDesk({
      access: { kind: 'authorized', visitorOf: (c) => authorizedVisitor(c.env, undefined) },
    });
    const call = handle(desk.app);
    const form = { rule: 'sales', answer: 'acknowledge', by: 'Eve' };
    const asked = { method: 'POST', path: '/alerts/answer', form };
    expect(await call(eventOf(asked))).toMatchObject({ statusCode: 401 });
    const claims = { sub: '42', email: 'anna@example.com', email_verified: 'true' };
    const authorizer = { jwt: { claims, scopes: null } };
    expect(await call(eventOf({ ...asked, authorizer }))).toMatchObject({ statusCode: 303 });
    expect((await desk.stored()).acknowledged?.by).toBe('anna@example.com');
  });
});

describe('the name from an authorizer', () => {
  const named = (authorizer: unknown) => authorizedName({ requestContext: { authorizer } });

  it.each<[string, unknown, string | undefined]>([
    [
      'is the address of a token if it is verified',
      { jwt: { claims: { email: 'anna@example.com', email_verified: 'true', sub: '42' } } },
      'anna@example.com',
    ],
    [
      'is not an address that may be unverified',
      { jwt: { claims: { email: 'ceo@example.com', sub: '42' } } },
      '42',
    ],
    ['is the subject of a token without an address', { jwt: { claims: { sub: '42' } } }, '42'],
    [
      'is the session of a role',
      { iam: { userArn: 'arn:aws:sts::123456789012:assumed-role/Admin/anna' } },
      'anna',
    ],
    ['is missing for claims of another format', { jwt: { claims: 'anna' } }, undefined],
    ['is missing without an authorizer', undefined, undefined],
  ])('%s', (_, authorizer, name) => {
    expect(named(authorizer)).toBe(name);
  });

  it('is missing outside of AWS', () => {
    expect(authorizedName({})).toBeUndefined();
    expect(authorizedName(undefined)).toBeUndefined();
  });
});
