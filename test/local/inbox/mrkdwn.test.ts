import { expect, test } from 'vitest';
import { mrkdwn } from '../../../local/inbox/mrkdwn.ts';

test.each([
  ['*bold* and _italic_', '<strong>bold</strong> and <em>italic</em>'],
  ['*bold with _italic_ in it*', '<strong>bold with <em>italic</em> in it</strong>'],
  ['`*not bold*`', '<code>*not bold*</code>'],
  ['snake_case_name and 2*3*4', 'snake_case_name and 2*3*4'],
  ['one\ntwo', 'one<br>two'],
  [':red_circle: stays', ':red_circle: stays'],
  ['<https://example.com|a *link*>', '<a href="https://example.com" rel="noreferrer">a *link*</a>'],
  ['<https://example.com>', '<a href="https://example.com" rel="noreferrer">https://example.com</a>'],
  ['<javascript:alert(1)|a trap>', '&lt;javascript:alert(1)|a trap&gt;'],
  ['&lt;b&gt; &amp;lt;', '&lt;b&gt; &amp;lt;'],
  [
    '🟠 *Sessions*',
    '<svg role="img" aria-label="🟠" viewBox="0 0 16 16" width="14" height="14"><circle cx="8" cy="8" r="8" fill="#f4900c"/></svg> <strong>Sessions</strong>',
  ],
  ['<script>"quoted"</script>', '&lt;script&gt;&quot;quoted&quot;&lt;/script&gt;'],
])('mrkdwn renders %j', async (text, markup) => {
  expect(String(await mrkdwn(text))).toBe(markup);
});
