/** A condition that people are notified of when it begins and when it ends. */
export type Condition = 'firing' | 'app-stopped' | 'no-data' | 'health';

/** How the page colours a word. */
export type Tone = 'bad' | 'warn' | 'good' | 'plain';

/** The sign of a message: its severity, or that no action is needed. */
export type Sign = 'severity' | 'over' | 'taken' | 'snoozed' | 'test' | 'digest';

interface TransitionFacts {
  on: {
    /** What it does to its conditions; `continues`: to a channel that missed the beginning it is one. */
    role: 'begins' | 'continues' | 'ends' | 'answers' | 'repeats' | 'informs';
    /** The conditions that it begins, ends or comments on. */
    about: readonly Condition[];
    /** Whether it counts as a change for flapping. */
    isChange: boolean;
    /** Whether one window can bring it more than once, so that its key needs the revision of the alert. */
    perRevision: boolean;
  };
  sent: {
    /** `start`: the message asks for an answer, and reminders follow it. */
    reminders: 'start' | 'stop' | 'keep';
    /** The unsent messages to the same channel that it makes out of date. */
    replaces: 'nothing' | 'itself' | 'answers' | 'changes' | 'flapping' | 'health';
    /** What a pager does with the incident of its conditions. */
    pager: 'trigger' | 'acknowledge' | 'resolve' | 'none';
    /** Whether rule tests can expect it: no person and no failure causes it. */
    inTests: boolean;
  };
  shown: {
    tone: Tone;
    sign: Sign;
    /** The evaluation that its figures come from: the one it was found with, or the last one of the alert. */
    figures: 'own' | 'own-or-last' | 'last';
    /** Whether its figures are a movement, or the present value beside the one before or beside the frozen baseline. */
    compared: 'moved' | 'before' | 'frozen';
    /** Whether the message gives the reason. */
    why: boolean;
    /** Whether the message says what happens next, where it has no figures. */
    next: boolean;
  };
}

const TABLE = {
  fired: {
    on: { role: 'begins', about: ['firing'], isChange: true, perRevision: true },
    sent: { reminders: 'start', replaces: 'nothing', pager: 'trigger', inTests: true },
    shown: { tone: 'bad', sign: 'severity', figures: 'own', compared: 'moved', why: true, next: false },
  },
  recovered: {
    on: { role: 'ends', about: ['firing'], isChange: true, perRevision: false },
    sent: { reminders: 'stop', replaces: 'answers', pager: 'resolve', inTests: true },
    shown: { tone: 'good', sign: 'over', figures: 'own', compared: 'frozen', why: true, next: false },
  },
  /** Late data removed the breach that it fired on. */
  retracted: {
    on: { role: 'ends', about: ['firing'], isChange: true, perRevision: true },
    sent: { reminders: 'stop', replaces: 'answers', pager: 'resolve', inTests: true },
    shown: { tone: 'good', sign: 'over', figures: 'own', compared: 'frozen', why: true, next: false },
  },
  /** The level that it fired on is normal from now on. */
  accepted: {
    on: { role: 'ends', about: ['firing'], isChange: true, perRevision: false },
    sent: { reminders: 'stop', replaces: 'answers', pager: 'resolve', inTests: true },
    shown: { tone: 'warn', sign: 'over', figures: 'own-or-last', compared: 'frozen', why: true, next: false },
  },
  /** A person marked the cause as expected. */
  excused: {
    on: { role: 'ends', about: ['firing'], isChange: true, perRevision: false },
    sent: { reminders: 'stop', replaces: 'answers', pager: 'resolve', inTests: false },
    shown: { tone: 'good', sign: 'over', figures: 'own-or-last', compared: 'moved', why: true, next: false },
  },
  /** The meaning of the rule changed while it fired, or the rule was removed. */
  restarted: {
    on: { role: 'ends', about: ['firing', 'app-stopped'], isChange: false, perRevision: false },
    sent: { reminders: 'stop', replaces: 'answers', pager: 'resolve', inTests: false },
    shown: { tone: 'warn', sign: 'over', figures: 'own', compared: 'before', why: true, next: true },
  },
  acknowledged: {
    on: { role: 'answers', about: ['firing', 'app-stopped'], isChange: false, perRevision: false },
    sent: { reminders: 'stop', replaces: 'nothing', pager: 'acknowledge', inTests: false },
    shown: {
      tone: 'warn',
      sign: 'taken',
      figures: 'own-or-last',
      compared: 'moved',
      why: false,
      next: false,
    },
  },
  snoozed: {
    on: { role: 'answers', about: ['firing', 'app-stopped'], isChange: false, perRevision: false },
    sent: { reminders: 'keep', replaces: 'itself', pager: 'acknowledge', inTests: false },
    shown: {
      tone: 'warn',
      sign: 'snoozed',
      figures: 'own-or-last',
      compared: 'moved',
      why: false,
      next: false,
    },
  },
  /** It still fires and is not acknowledged. */
  reminded: {
    on: { role: 'repeats', about: ['firing', 'app-stopped'], isChange: false, perRevision: false },
    sent: { reminders: 'start', replaces: 'nothing', pager: 'none', inTests: true },
    shown: { tone: 'bad', sign: 'severity', figures: 'last', compared: 'moved', why: false, next: false },
  },
  /** It changes too often to send a message for each change, until `calmed` or `persists`. */
  flapping: {
    on: { role: 'continues', about: ['firing'], isChange: false, perRevision: false },
    sent: { reminders: 'stop', replaces: 'changes', pager: 'trigger', inTests: true },
    shown: { tone: 'warn', sign: 'severity', figures: 'own', compared: 'before', why: true, next: false },
  },
  calmed: {
    on: { role: 'ends', about: ['firing'], isChange: false, perRevision: false },
    sent: { reminders: 'stop', replaces: 'answers', pager: 'resolve', inTests: true },
    shown: { tone: 'good', sign: 'over', figures: 'own', compared: 'before', why: true, next: false },
  },
  persists: {
    on: { role: 'continues', about: ['firing'], isChange: false, perRevision: false },
    sent: { reminders: 'start', replaces: 'flapping', pager: 'trigger', inTests: true },
    shown: { tone: 'bad', sign: 'severity', figures: 'own', compared: 'moved', why: true, next: false },
  },
  'no-data': {
    on: { role: 'begins', about: ['no-data'], isChange: false, perRevision: false },
    sent: { reminders: 'keep', replaces: 'nothing', pager: 'trigger', inTests: true },
    shown: { tone: 'warn', sign: 'severity', figures: 'own', compared: 'before', why: false, next: true },
  },
  'data-back': {
    on: { role: 'ends', about: ['no-data'], isChange: false, perRevision: false },
    sent: { reminders: 'keep', replaces: 'nothing', pager: 'resolve', inTests: true },
    shown: { tone: 'good', sign: 'over', figures: 'own', compared: 'before', why: false, next: true },
  },
  failing: {
    on: { role: 'begins', about: ['health'], isChange: false, perRevision: false },
    sent: { reminders: 'keep', replaces: 'health', pager: 'none', inTests: false },
    shown: { tone: 'bad', sign: 'severity', figures: 'own', compared: 'before', why: true, next: true },
  },
  broken: {
    on: { role: 'begins', about: ['health'], isChange: false, perRevision: false },
    sent: { reminders: 'keep', replaces: 'health', pager: 'trigger', inTests: false },
    shown: { tone: 'bad', sign: 'severity', figures: 'own', compared: 'before', why: true, next: true },
  },
  /** Nothing fails, but too few calls are left to evaluate the rule. */
  stalled: {
    on: { role: 'begins', about: ['health'], isChange: false, perRevision: false },
    sent: { reminders: 'keep', replaces: 'health', pager: 'trigger', inTests: false },
    shown: { tone: 'bad', sign: 'severity', figures: 'own', compared: 'before', why: true, next: true },
  },
  healed: {
    on: { role: 'ends', about: ['health'], isChange: false, perRevision: false },
    sent: { reminders: 'keep', replaces: 'health', pager: 'resolve', inTests: false },
    shown: { tone: 'good', sign: 'over', figures: 'own', compared: 'before', why: false, next: true },
  },
  /** A new rule has had no value so far. */
  'matches-nothing': {
    on: { role: 'informs', about: [], isChange: false, perRevision: false },
    sent: { reminders: 'keep', replaces: 'nothing', pager: 'none', inTests: false },
    shown: { tone: 'warn', sign: 'severity', figures: 'own', compared: 'before', why: true, next: true },
  },
  /** An app no longer sends data. */
  stopped: {
    on: { role: 'begins', about: ['app-stopped'], isChange: false, perRevision: false },
    sent: { reminders: 'start', replaces: 'nothing', pager: 'trigger', inTests: true },
    shown: { tone: 'bad', sign: 'severity', figures: 'own', compared: 'before', why: false, next: true },
  },
  resumed: {
    on: { role: 'ends', about: ['app-stopped'], isChange: false, perRevision: false },
    sent: { reminders: 'stop', replaces: 'answers', pager: 'resolve', inTests: true },
    shown: { tone: 'good', sign: 'over', figures: 'own', compared: 'before', why: false, next: true },
  },
} as const satisfies Record<string, TransitionFacts>;

/** What an alert can send a message about. */
export type Transition = keyof typeof TABLE;

/** What an item of a message is about: a transition, or no alert: a test notification or the digest. */
export type ItemKind = Transition | 'test' | 'digest';

/** Whether the item is about an alert. */
export function isTransition(kind: ItemKind): kind is Transition {
  return kind !== 'test' && kind !== 'digest';
}

/** All properties of each transition, apart from its text. */
export const TRANSITIONS: Readonly<Record<Transition, TransitionFacts>> = TABLE;

export const TRANSITION_NAMES = Object.keys(TABLE) as [Transition, ...Transition[]];

/** The transitions that end a condition. */
export type End = {
  [T in Transition]: (typeof TABLE)[T]['on']['role'] extends 'ends' ? T : never;
}[Transition];

/** The transitions that a test of rules can expect. */
export type Testable = {
  [T in Transition]: (typeof TABLE)[T]['sent']['inTests'] extends true ? T : never;
}[Transition];

/** The transitions whose message says what happens next. */
export type WithNext = {
  [T in Transition]: (typeof TABLE)[T]['shown']['next'] extends true ? T : never;
}[Transition];

/** Whether it ends a condition, so that no action is needed. */
export function isEnd(kind: ItemKind): kind is End {
  return isTransition(kind) && TRANSITIONS[kind].on.role === 'ends';
}

/** Whether it is an answer to an alert that continues. Only channels notified of the alert get it. */
export function isAnswer(kind: ItemKind): boolean {
  return isTransition(kind) && TRANSITIONS[kind].on.role === 'answers';
}

/** Whether it needs no action: the condition has ended, or a person takes care of it. */
export function asksNobody(transition: Transition): boolean {
  return isEnd(transition) || isAnswer(transition);
}

/** Whether it says that a condition holds now. */
export function opens(transition: Transition): boolean {
  const { role } = TRANSITIONS[transition].on;
  return role === 'begins' || role === 'continues';
}

/** Whether it is about an alert that still fires and may be acknowledged. */
export function isOngoing(transition: Transition): boolean {
  return !isEnd(transition) && shareCondition(transition, 'acknowledged');
}

/** Whether its message says what happens next. */
export function saysNext(transition: Transition): transition is WithNext {
  return TRANSITIONS[transition].shown.next;
}

/** The sign of the item. */
export function signOf(kind: ItemKind): Sign {
  return isTransition(kind) ? TRANSITIONS[kind].shown.sign : kind;
}

/** Whether both are about one condition. */
export function shareCondition(a: Transition, b: Transition): boolean {
  return TRANSITIONS[a].on.about.some((each) => TRANSITIONS[b].on.about.includes(each));
}
