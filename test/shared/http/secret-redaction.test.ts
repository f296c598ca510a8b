import { expect, test } from 'vitest';
import { redactionOf } from '../../../shared/source/http-calls.ts';

const KEY = 'a!b(c)\'~d "é$1.*/😀';
const form = new URLSearchParams([['', KEY]]).toString().slice(1);

test.each([
  { name: 'unchanged', text: KEY },
  { name: 'encoded for a path', text: encodeURIComponent(KEY) },
  { name: 'encoded for a URL, which keeps some characters', text: encodeURI(KEY) },
  { name: 'encoded as a form', text: form },
  { name: 'encoded in lower case', text: form.replaceAll(/%../g, (code) => code.toLowerCase()) },
  { name: 'encoded twice', text: encodeURIComponent(form) },
  { name: 'in JSON', text: JSON.stringify(KEY).slice(1, -1) },
  {
    name: 'in ASCII-only JSON',
    text: KEY.replace('é', '\\u00e9').replace('😀', '\\ud83d\\ude00'),
  },
])('redactionOf removes a secret $name', ({ text }) => {
  expect(redactionOf(KEY)(`bad key ${text}, and ${text}.`)).toBe('bad key ***, and ***.');
});

test.each(['', 'another'])('redactionOf the secret "%s" leaves other text unchanged', (secret) => {
  expect(redactionOf(secret)('a+b %20 \\u0041')).toBe('a+b %20 \\u0041');
});
