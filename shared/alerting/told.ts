import type { Alert, Announced, ItemKind, Transition } from './alert.ts';

/** What belongs together: each end is that of the last beginning in its list. */
interface Family {
  begins: ReadonlySet<Transition>;
  ends: ReadonlySet<Transition>;
}

const family = (begins: Transition[], ends: Transition[]): Family => ({
  begins: new Set(begins),
  ends: new Set(ends),
});

const FIRE = family(
  ['fired', 'persists', 'flapping'],
  ['recovered', 'retracted', 'accepted', 'excused', 'restarted', 'calmed'],
);
const STOP = family(['stopped'], ['resumed', 'restarted']);
const FAMILIES = [
  ...[FIRE, STOP, family(['no-data'], ['data-back'])],
  family(['failing', 'broken', 'stalled'], ['healed']),
];

/** Messages sent that an alert remembers at the least. */
const REMEMBERED = 5;

/** Whether `transition` is the end of what `began` began, whichever it was. */
export function isEndOf(transition: Transition, began: Transition): boolean {
  return FAMILIES.some(({ begins, ends }) => ends.has(transition) && begins.has(began));
}

/** Whether it tells what somebody said of an alert that goes on: news for those who were told of that alone. */
export function isAnswer(transition: ItemKind): boolean {
  return transition === 'acknowledged' || transition === 'snoozed';
}

/** Whether an alert of which this is told stops asking for anybody: there is nothing to remind of. */
export function endsReminders(transition: Transition): boolean {
  const isOver = FIRE.ends.has(transition) || STOP.ends.has(transition);
  return isOver || transition === 'flapping' || transition === 'acknowledged';
}

/** Whether both are steps of one story, so that the first of them is to be told first. */
export function areOfOneStory(a: Transition, b: Transition): boolean {
  return FAMILIES.some(({ begins, ends }) => [a, b].every((each) => begins.has(each) || ends.has(each)));
}

/** Whether news of the kind `first` are to be told before those of the kind `then`: an answer follows what it answers. */
export function comesBefore(first: Transition, then: Transition): boolean {
  const isAnswered =
    isAnswer(then) && familiesOf(then).some(({ begins, ends }) => begins.has(first) || ends.has(first));
  return isAnswered || areOfOneStory(first, then);
}

/** The beginning that `channel` was told of and whose end, `transition`, it was not. */
export function openOn(alert: Alert, channel: string, transition: Transition): Announced | undefined {
  return familiesOf(transition)
    .map((each) => lastOf(each, channel, alert.announced))
    .find((last) => last !== undefined && isBeginning(last));
}

/** Whether `channel` is owed a beginning of the same story that was tried, and so may have got through. */
export function mayHaveBegun({ owed }: Alert, channel: string, transition: Transition): boolean {
  const families = familiesOf(transition);
  return Object.values(owed).some(
    (debt) =>
      debt.channel === channel &&
      debt.attempts > 0 &&
      families.some(({ begins }) => begins.has(debt.transition)),
  );
}

/** The channels that wait for `transition`: they were told of what it ends, or of what somebody has taken. */
export function waitingFor(alert: Alert, transition: Transition): string[] {
  const channels = [...new Set(alert.announced.map(({ channel }) => channel))];
  return channels.filter((channel) => openOn(alert, channel, transition));
}

/**
 * Messages sent, the newest first: the last ones, each before them whose end was not told yet, and what a channel was told
 * of answers to it. Without those, the answer would be sent again with the next message that says that it fires.
 */
export function remembered(announced: Announced[]): Announced[] {
  return announced.filter((each, i) => {
    const later = announced.slice(0, i);
    return i < REMEMBERED || isOpen(each, later) || isStanding(each, later);
  });
}

/** Whether the channel was told neither the end of what was answered, nor a newer answer of the kind. */
function isStanding(told: Announced, later: Announced[]): boolean {
  const { transition, channel } = told;
  if (!isAnswer(transition)) return false;
  const ends = familiesOf(transition).map((each) => each.ends);
  return !later.some(
    (each) =>
      each.channel === channel &&
      (each.transition === transition || ends.some((own) => own.has(each.transition))),
  );
}

function isOpen(beginning: Announced, later: Announced[]): boolean {
  if (!isBeginning(beginning)) return false;
  return familiesOf(beginning.transition).every((each) => !lastOf(each, beginning.channel, later));
}

function familiesOf(transition: Transition): Family[] {
  if (isAnswer(transition)) return [FIRE, STOP];
  return FAMILIES.filter(({ begins, ends }) => begins.has(transition) || ends.has(transition));
}

function lastOf({ begins, ends }: Family, channel: string, announced: Announced[]): Announced | undefined {
  return announced.find(
    (each) => each.channel === channel && (begins.has(each.transition) || ends.has(each.transition)),
  );
}

function isBeginning({ transition }: Announced): boolean {
  return FAMILIES.some(({ begins }) => begins.has(transition));
}
