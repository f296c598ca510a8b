import type { Answer } from '../alerts/alert.ts';
import { answersTo } from '../alerts/answers.ts';
import { appOf } from '../alerts/app-alert.ts';
import { isOngoing, TRANSITIONS } from '../alerts/transitions.ts';
import { receiptOf } from '../notifications/notification-history.ts';
import { notificationKey } from '../notifications/notification-key.ts';
import type { PendingNotification } from '../notifications/pending.ts';
import { contentHash } from '../text/content-hash.ts';
import { LABELS } from './answer-text.ts';
import { picturedIn } from './chart-text.ts';
import type { LinkSigner } from './link-purposes.ts';
import type { ItemLinks } from './message.ts';
import { alertPath } from './page-paths.ts';

/** A message has room for eight links with a short segment. A longer segment is answered on the page. */
const LONGEST_SEGMENT_BYTES = 200;

/** The links of a message. One that is sent again has links with the same ids: both are used up together. */
export function messageLinks(signer: LinkSigner, publicUrl: string): MessageLinks {
  const root = publicUrl.replace(/\/+$/, '');
  return {
    overviewUrl: `${root}/`,
    async linksFor(pending): Promise<ItemLinks> {
      const { ruleId, segment } = pending.alert;
      const open = `${root}${alertPath(pending.alert)}`;
      if (segment !== null && new TextEncoder().encode(segment).length > LONGEST_SEGMENT_BYTES)
        return { open: `${root}${alertPath({ ruleId, segment: null })}`, picture: null, answers: [] };
      const answers = answersIn(pending).map(async (answer) => {
        const token = await answerToken(answer, pending, signer);
        return { answer, label: LABELS[answer], url: `${root}/a/${token}` };
      });
      return { open, picture: await pictureIn(pending, root, signer), answers: await Promise.all(answers) };
    },
  };
}

/** The answers that apply now. The alert may have ended or been acknowledged since the notification was queued. */
function answersIn({ alert, notification, rule }: PendingNotification): Answer[] {
  const { transition, channel } = notification;
  const asks = TRANSITIONS[transition].reminders === 'start';
  // It replaces the message that asked, and with it the answers there.
  const replaces = isOngoing(transition) && receiptOf(alert, channel, transition) !== undefined;
  return asks || replaces ? answersTo(alert, rule) : [];
}

function answerToken(
  answer: Answer,
  { alert, notification }: PendingNotification,
  signer: LinkSigner,
): Promise<string> {
  const { ruleId, segment } = alert;
  const isOfApp = appOf(alert) !== undefined;
  const firedWindowEndAt = isOfApp
    ? alert.stateSinceAt
    : (notification.firedWindowEndAt ?? notification.windowEndAt);
  const fire = alert.fired?.fromRevision;
  const id = contentHash([notificationKey(alert, { ...notification, channel: '' }), fire ?? null, answer]);
  const claims = { answer, ruleId, segment, firedWindowEndAt, ...(fire !== undefined && { fire }) };
  return signer.sign('answer', claims, id);
}

async function pictureIn(
  pending: PendingNotification,
  root: string,
  signer: LinkSigner,
): Promise<ItemLinks['picture']> {
  const { ruleId, segment } = pending.alert;
  const pictured = picturedIn(pending);
  if (!pictured) return null;
  const { throughAt, alt } = pictured;
  const claims = { ruleId, segment, throughAt };
  const token = await signer.sign('picture', claims, contentHash(claims));
  return { url: `${root}/p/${token}.png`, alt };
}

export interface MessageLinks {
  overviewUrl: string;
  linksFor(pending: PendingNotification): Promise<ItemLinks>;
}
