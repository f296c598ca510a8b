import { createHmac } from 'node:crypto';
import { NOW } from './desk.ts';

export const SECRET = '8f742231b10e8888abcd99yyyzzz85a5';

/** The headers with which Slack signs a body. */
export function signed(body: string, { at = NOW, secret = SECRET } = {}): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const signature = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
  return { 'X-Slack-Request-Timestamp': timestamp, 'X-Slack-Signature': `v0=${signature}` };
}
