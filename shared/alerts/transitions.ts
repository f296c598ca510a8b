/** A condition that people are notified of when it begins and when it ends. */
export type Condition = 'firing' | 'app-stopped' | 'no-data' | 'health';

/** How the page colours a word. */
export type Tone = 'bad' | 'warn' | 'good' | 'plain';

/** The sign of a message: its severity, or that no action is needed. */
export type Sign = 'severity' | 'over' | 'taken' | 'snoozed' | 'test' | 'digest';

interface TransitionFacts {
  /** What it does to its conditions; `continues`: to a channel that missed the beginning it is one. */
  role: 'begins' | 'continues' | 'ends' | 'answers' | 'repeats' | 'informs';
  /** The conditions that it begins, ends or comments on. */
  about: readonly Condition[];
  /** Whether it counts as a change for flapping. */
  isChange: boolean;
  /** Whether one window can bring it more than once, so that its key needs the revision of the alert. */
  perRevision: boolean;
  /** `start`: the message asks for an answer, and reminders follow it. */
  reminders: 'start' | 'stop' | 'keep';
  /** The unsent messages to the same channel that it makes out of date. */
  replaces: 'nothing' | 'itself' | 'answers' | 'changes' | 'flapping' | 'health';
  /** What a pager does with the incident of its conditions. */
  pager: 'trigger' | 'acknowledge' | 'resolve' | 'none';
  /** Whether rule tests can expect it: no person and no failure causes it. */
  inTests: boolean;
  tone: Tone;
  sign: Sign;
  /** The evaluation that its figures come from: the one it was found with, or the last one of the alert. */
  figures: 'own' | 'own-or-last' | 'last';
  /** Whether its figures are a movement, or the present value beside the one before or beside the frozen baseline. */
  compared: 'moved' | 'before' | 'frozen';
  /** Whether the message gives the reason. */
  why: boolean;
}

const INFORMS = {
  role: 'informs',
  about: [],
  isChange: false,
  perRevision: false,
  reminders: 'keep',
  replaces: 'nothing',
  pager: 'none',
  inTests: true,
  tone: 'bad',
  sign: 'severity',
  figures: 'own',
  compared: 'before',
  why: true,
} as const satisfies TransitionFacts;

const BEGINS = { ...INFORMS, role: 'begins', pager: 'trigger' } as const;
const CONTINUES = { ...INFORMS, role: 'continues', about: ['firing'], pager: 'trigger' } as const;
const ENDS = { ...INFORMS, role: 'ends', pager: 'resolve', tone: 'good', sign: 'over' } as const;
const ENDS_FIRE = {
  ...ENDS,
  about: ['firing'],
  isChange: true,
  reminders: 'stop',
  replaces: 'answers',
  compared: 'frozen',
} as const;
const ANSWERS = {
  ...INFORMS,
  role: 'answers',
  about: ['firing', 'app-stopped'],
  pager: 'acknowledge',
  inTests: false,
  tone: 'warn',
  figures: 'own-or-last',
  compared: 'moved',
  why: false,
} as const;
const OF_HEALTH = { about: ['health'], replaces: 'health', inTests: false } as const;

const TABLE = {
  fired: {
    ...BEGINS,
    about: ['firing'],
    isChange: true,
    perRevision: true,
    reminders: 'start',
    compared: 'moved',
  },
  recovered: ENDS_FIRE,
  /** Late data removed the breach that it fired on. */
  retracted: { ...ENDS_FIRE, perRevision: true },
  /** The level that it fired on is normal from now on. */
  accepted: { ...ENDS_FIRE, tone: 'warn', figures: 'own-or-last' },
  /** A person marked the cause as expected. */
  excused: { ...ENDS_FIRE, inTests: false, figures: 'own-or-last', compared: 'moved' },
  /** The meaning of the rule changed while it fired, or the rule was removed. */
  restarted: {
    ...ENDS_FIRE,
    about: ['firing', 'app-stopped'],
    isChange: false,
    inTests: false,
    tone: 'warn',
    compared: 'before',
  },
  acknowledged: { ...ANSWERS, reminders: 'stop', sign: 'taken' },
  snoozed: { ...ANSWERS, replaces: 'itself', sign: 'snoozed' },
  /** It still fires and is not acknowledged. */
  reminded: {
    ...INFORMS,
    role: 'repeats',
    about: ['firing', 'app-stopped'],
    reminders: 'start',
    figures: 'last',
    compared: 'moved',
    why: false,
  },
  /** It changes too often to send a message for each change, until `calmed` or `persists`. */
  flapping: { ...CONTINUES, reminders: 'stop', replaces: 'changes', tone: 'warn' },
  calmed: { ...ENDS_FIRE, isChange: false, compared: 'before' },
  persists: { ...CONTINUES, reminders: 'start', replaces: 'flapping', compared: 'moved' },
  'no-data': { ...BEGINS, about: ['no-data'], tone: 'warn', why: false },
  'data-back': { ...ENDS, about: ['no-data'], why: false },
  failing: { ...BEGINS, ...OF_HEALTH, pager: 'none' },
  broken: { ...BEGINS, ...OF_HEALTH },
  /** Nothing fails, but too few calls are left to evaluate the rule. */
  stalled: { ...BEGINS, ...OF_HEALTH },
  healed: { ...ENDS, ...OF_HEALTH, why: false },
  /** A new rule has had no value so far. */
  'matches-nothing': { ...INFORMS, inTests: false, tone: 'warn' },
  /** An app no longer sends data. */
  stopped: { ...BEGINS, about: ['app-stopped'], reminders: 'start', why: false },
  resumed: {
    ...ENDS,
    about: ['app-stopped'],
    reminders: 'stop',
    replaces: 'answers',
    why: false,
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
  [T in Transition]: (typeof TABLE)[T]['role'] extends 'ends' ? T : never;
}[Transition];

/** The transitions that a test of rules can expect. */
export type Testable = {
  [T in Transition]: (typeof TABLE)[T]['inTests'] extends true ? T : never;
}[Transition];

/** Whether it ends a condition, so that no action is needed. */
export function isEnd(kind: ItemKind): kind is End {
  return isTransition(kind) && TRANSITIONS[kind].role === 'ends';
}

/** Whether it is an answer to an alert that continues. Only channels notified of the alert get it. */
export function isAnswer(kind: ItemKind): boolean {
  return isTransition(kind) && TRANSITIONS[kind].role === 'answers';
}

/** Whether it needs no action: the condition has ended, or a person takes care of it. */
export function asksNobody(transition: Transition): boolean {
  return isEnd(transition) || isAnswer(transition);
}

/** Whether it says that a condition holds now. */
export function opens(transition: Transition): boolean {
  const { role } = TRANSITIONS[transition];
  return role === 'begins' || role === 'continues';
}

/** Whether it is about an alert that still fires and may be acknowledged. */
export function isOngoing(transition: Transition): boolean {
  return !isEnd(transition) && shareCondition(transition, 'acknowledged');
}

export function signOf(kind: ItemKind): Sign {
  return isTransition(kind) ? TRANSITIONS[kind].sign : kind;
}

/** Whether both are about one condition. */
export function shareCondition(a: Transition, b: Transition): boolean {
  return TRANSITIONS[a].about.some((each) => TRANSITIONS[b].about.includes(each));
}
