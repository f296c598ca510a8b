import type { Channel, Refusal } from '../../alerting/messages/channel.ts';
import type { Clock } from '../../runtime/clock.ts';
import { refusalByStatus, refusedForGood, refusedForNow } from '../channels/refusals.ts';
import { type SecretWebhookOptions, secretWebhook, type WebhookAnswer } from '../channels/secret-webhook.ts';
import { teamsMessage } from './card.ts';

/**
 * Sends each message as an Adaptive Card to a workflow that starts "when a Teams webhook request is received". It answers
 * 202 before it posts the card. Throws `ConfigError` for an invalid URL.
 */
export function createTeamsChannel(options: SecretWebhookOptions): Channel {
  const post = secretWebhook('Teams', options);
  return {
    async send(message) {
      const answer = await post(teamsMessage(message));
      if (answer.kind === 'refused') return answer;
      return refusalOf(answer, options.clock) ?? { kind: 'sent' };
    },
  };
}

function refusalOf({ status, retryAfter, body }: WebhookAnswer, clock: Clock): Refusal | undefined {
  if (status === 202) return undefined;
  // The retired connectors answered 200, also to messages that they did not post.
  if (status < 400) return refusedForNow('something other than a workflow of Teams answered');
  const refusal = refusalByStatus('Teams', { status, retryAfter, now: clock.now() });
  if (!refusal?.permanent) return refusal;
  const code = errorCodeOf(body);
  const said = code === undefined ? `${status}` : `${status}, ${code}`;
  return refusedForGood(`Teams refused the message (${said})${adviceOn(status, code)}`);
}

/** The error code of Power Automate. Anything else may be a proxy's page and is not repeated. */
function errorCodeOf(body: string): string | undefined {
  return /"code"\s*:\s*"([A-Za-z]{3,60})"/.exec(body)?.[1];
}

function adviceOn(status: number, code: string | undefined): string {
  if (code === 'WorkflowTriggerIsNotEnabled') return ': turn the workflow on';
  if ([401, 403, 404, 410].includes(status))
    return ': the workflow was removed, or its address changed; store its new address in the secret';
  return '';
}
