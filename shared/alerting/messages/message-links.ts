import type { Answer } from '../alerts/alert.ts';
import { answersTo } from '../alerts/answers.ts';
import { appOf } from '../alerts/app-alert.ts';
import { TRANSITIONS } from '../alerts/transitions.ts';
import { debtKey } from '../notifications/notification-key.ts';
import type { Owed } from '../notifications/owed.ts';
import { digest } from '../text/content-hash.ts';
import { LABELS } from './answer-text.ts';
import { picturedIn } from './chart-text.ts';
import type { LinkSigner } from './link-purposes.ts';
import type { ItemLinks } from './message.ts';
import { alertPath } from './page-paths.ts';

/** A message has room for eight links to a short name; what is longer is answered on the page. */
const LONGEST_SEGMENT_BYTES = 200;

/**
 * The addresses of a message, under `publicUrl`. A message that is sent again carries links that are used up with those
 * of the first: their ids are made of what they are for.
 */
export function messageLinks(signer: LinkSigner, publicUrl: string): MessageLinks {
  const root = publicUrl.replace(/\/+$/, '');
  return {
    overviewUrl: `${root}/`,
    async linksFor(owed): Promise<ItemLinks> {
      const { ruleId, segment } = owed.alert;
      const open = `${root}${alertPath(owed.alert)}`;
      if (segment !== null && new TextEncoder().encode(segment).length > LONGEST_SEGMENT_BYTES)
        return { open: `${root}${alertPath({ ruleId, segment: null })}`, picture: null, answers: [] };
      const answers = answersIn(owed).map(async (answer) => {
        const token = await answerToken(answer, owed, signer);
        return { answer, label: LABELS[answer], url: `${root}/a/${token}` };
      });
      return { open, picture: await pictureIn(owed, root, signer), answers: await Promise.all(answers) };
    },
  };
}

/** What can be answered to the message as it is sent: its alert may have ended, or been taken, since it was owed. */
function answersIn({ alert, debt, rule }: Owed): Answer[] {
  return TRANSITIONS[debt.transition].sent.reminders === 'start' ? answersTo(alert, rule) : [];
}

function answerToken(answer: Answer, { alert, debt }: Owed, signer: LinkSigner): Promise<string> {
  const { ruleId, segment } = alert;
  const isOfApp = appOf(alert) !== undefined;
  const firedWindowEndAt = isOfApp ? alert.stateSinceAt : (debt.firedWindowEndAt ?? debt.windowEndAt);
  const fire = alert.fired?.fromRevision;
  const id = digest([debtKey(alert, { ...debt, channel: '' }), fire ?? null, answer]);
  const claims = { answer, ruleId, segment, firedWindowEndAt, ...(fire !== undefined && { fire }) };
  return signer.sign('answer', claims, id);
}

async function pictureIn(owed: Owed, root: string, signer: LinkSigner): Promise<ItemLinks['picture']> {
  const { ruleId, segment } = owed.alert;
  const pictured = picturedIn(owed);
  if (!pictured) return null;
  const { throughAt, alt } = pictured;
  const claims = { ruleId, segment, throughAt };
  const token = await signer.sign('picture', claims, digest(claims));
  return { url: `${root}/p/${token}.png`, alt };
}

/** Makes the addresses that messages carry. */
export interface MessageLinks {
  overviewUrl: string;
  linksFor(owed: Owed): Promise<ItemLinks>;
}
