import { expect, test } from 'vitest';
import type { Section } from '../../../functions/respond/page/layout.ts';
import { openDesk } from './desk.ts';

let written: string[];
const section: Section = {
  path: '/explore',
  name: 'Explore',
  view: () => ({ title: 'Explore', body: '<p>Explored</p>' as never }),
  submit: async ({ name }, c) => {
    const { id } = await c.req.parseBody();
    written.push(`${id} by ${name}`);
    return '/rules/sales';
  },
};

async function deskWithSection() {
  written = [];
  const desk = await openDesk({ sections: [section] });
  const cookie = `__Host-session=${await desk.sign('session', { by: 'Anna' })}`;
  return { ...desk, cookie };
}

test('a form of a section acts for who is signed in, and goes on', async () => {
  const { post, cookie } = await deskWithSection();
  const sent = await post('/explore', { id: 'x' }, { cookie });
  expect([sent.status, sent.headers.get('location')]).toEqual([303, '/rules/sales']);
  expect(written).toEqual(['x by Anna']);
});

test.each([
  ['without a sign-in', false, {}, 401],
  ['from another site', true, { Origin: 'https://evil.example.com' }, 403],
])('a form of a section that is sent %s does nothing', async (_, isSignedIn, headers, status) => {
  const { post, cookie } = await deskWithSection();
  const sent = await post('/explore', { id: 'x' }, { ...(isSignedIn && { cookie }), ...headers });
  expect(sent.status).toBe(status);
  expect(written).toEqual([]);
});

test('pages link to Explore only where there is one', async () => {
  const { request, cookie } = await deskWithSection();
  const page = await (await request('/rules/sales', { headers: { cookie } })).text();
  const link = '/explore?app=demo&amp;watch=purchase&amp;grain=day&amp;change=-30%25&amp;group=';
  expect(page).toContain(`<a href="${link}">Explore</a>`);
  const other = await openDesk();
  const session = `__Host-session=${await other.sign('session', { by: 'Anna' })}`;
  const plain = await (await other.request('/rules/sales', { headers: { cookie: session } })).text();
  expect(plain).not.toContain('Explore');
  expect((await other.request('/alerts/sales/events', { headers: { cookie: session } })).status).toBe(404);
});
