import { checkRules } from '../../functions/check-rules/check-rules.ts';
import { notifyPending } from '../../functions/notify/notify.ts';
import { planChecks } from '../../functions/plan-checks/plan-checks.ts';
import { syncRules } from '../../functions/sync-rules/sync-rules.ts';
import { silentMeter } from '../../local/terminal.ts';
import type { Alert } from '../../shared/alerts/alert.ts';
import type { AlertStore } from '../../shared/alerts/alert-store.ts';
import { secretsOf } from '../../shared/channels/kinds.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import type { UsedLinks } from '../../shared/messages/link-purposes.ts';
import type { Batch, Queue } from '../../shared/planning/plan.ts';
import type { MetricSource } from '../../shared/readings/metric-source.ts';
import { type Outcome as Answered, type Given, giveAnswer } from '../../shared/responding/give-answer.ts';
import { inMemoryStores } from '../../shared/store/in-memory/stores.ts';
import { openSqliteTable } from '../../shared/store/sqlite-table.ts';
import { type Stores, storesIn } from '../../shared/store/stores.ts';
import { usedLinksIn } from '../../shared/store/used-links.ts';
import { inMemoryUsedLinks } from '../fakes/in-memory-used-links.ts';
import type { Faults } from './faults.ts';
import { Ledger, nameOf } from './ledger.ts';
import { People } from './people.ts';
import { type Poison, poisonedAlerts } from './poisoned-alerts.ts';
import { type Call, type End, type Outcome, Process } from './process.ts';
import { channelsOf, type Receivers } from './receivers.ts';
import type { Scenario } from './scenario.ts';
import { Scheduler } from './scheduler.ts';
import { sourceOf } from './source.ts';

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];

/** An index of DynamoDB lags behind its table, by up to half a minute under faults. */
const MOST_LAG_MS = 30 * SECOND;

/** The deliveries of one message before it is set aside, and the delay of the second, which doubles each time. */
const [DELIVERIES, AGAIN_MS] = [8, 30 * SECOND];

/** The delays of retries of a failed invocation, as in Lambda. */
const REPEATS_MS = [MINUTE, 2 * MINUTE];

const TIMEOUTS_MS = {
  plan: 2 * MINUTE,
  check: 5 * MINUTE,
  notify: MINUTE,
  respond: MINUTE / 2,
  sync: MINUTE,
};

/** The functions with faulty stores and channels, and their triggers on AWS. */
export class Installation {
  readonly ledger = new Ledger();
  readonly received: Receivers = { chat: [], hook: [], pager: [] };
  readonly people: People;
  /** Batches delivered to check-rules, including repetitions. */
  deliveries = 0;
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  readonly poison: Poison | undefined;
  readonly #scenario: Scenario;
  readonly #stores: Stores & { used: UsedLinks };
  readonly #alerts: AlertStore;
  readonly #names = new Map<string, number>();
  #nextSweepAt = Infinity;

  constructor(
    scenario: Scenario,
    faults: Faults,
    {
      startAt,
      poison,
      isOnSqlite = false,
    }: { startAt: number; poison?: Poison | undefined; isOnSqlite?: boolean },
  ) {
    this.#scenario = scenario;
    this.faults = faults;
    this.poison = poison;
    this.scheduler = new Scheduler(startAt);
    this.#stores = isOnSqlite
      ? storesOnSqlite(this.scheduler)
      : { ...inMemoryStores(), used: inMemoryUsedLinks() };
    this.people = new People({
      ...{ scheduler: this.scheduler, faults },
      respond: (...args) => this.#respond(...args),
    });
    this.#alerts = poisonedAlerts(this.#stores.alerts, {
      ...{ ledger: this.ledger, poison },
      now: () => this.scheduler.now,
    });
  }

  /** A schedule starts the run of a cadence. A fault can drop, repeat or delay it. */
  tick(cadence: string, scheduledAt: number): void {
    const label = `tick ${cadence} ${new Date(scheduledAt).toISOString()}`;
    const odds = { 'never delivered': 0.04, 'delivered twice': 0.05, 'delivered late': 0.05 };
    const fault = this.faults.pick(label, scheduledAt, odds);
    if (fault === 'never delivered') return;
    const lateMs = fault === 'delivered late' ? this.faults.chance(`${label} late`) * 30 * HOUR : 0;
    const plan = () =>
      this.#invoke('plan-checks', TIMEOUTS_MS.plan, (by) =>
        planChecks({ cadence, scheduledAt }, this.#planning(by)),
      );
    this.scheduler.at(scheduledAt + lateMs, plan);
    if (fault === 'delivered twice')
      this.scheduler.at(scheduledAt + this.faults.chance(`${label} twice`) * MINUTE, plan);
  }

  /** Deploys, and retries until it is done. */
  deploy(ruleSet: RuleSet): void {
    const by = this.#process('sync-rules');
    const deps = {
      rules: by.port('rules', this.#stores.rules),
      audit: by.port('audit', this.#stores.audit),
      ...this.#shared(by),
    };
    void by
      .run(TIMEOUTS_MS.sync, () => syncRules(ruleSet, deps))
      .then((end) => {
        if (end !== 'done') this.scheduler.after(5 * MINUTE, () => this.deploy(ruleSet));
      });
  }

  #planning(by: Process) {
    return {
      ...this.#shared(by),
      rules: by.port('rules', this.#stores.rules),
      runs: by.port('runs', this.#stores.runs),
      batches: by.port(
        'batches',
        this.#queue<Batch>(
          (batch) => `piece ${batch.tick} ${batch.id}`,
          (batch) => this.#check(batch, 1),
        ),
      ),
    };
  }

  #check(batch: Batch, delivery: number): void {
    this.deliveries += 1;
    const by = this.#process(`check-rules ${batch.id}`);
    const { rules, readings, runs } = this.#stores;
    const deps = {
      ...this.#shared(by),
      rules: by.port('rules', rules),
      readings: by.port('readings', readings),
      runs: by.port('runs', runs),
      wakeUps: by.port(
        'nudges',
        this.#queue(
          ({ tick }: { tick: string }) => `nudge ${tick}`,
          () => this.#notify(),
        ),
      ),
      sourceFor: (): MetricSource => by.port('source', sourceOf(this.#scenario, by)),
    };
    void by
      .run(TIMEOUTS_MS.check, () => checkRules(batch, deps))
      .then((end) => {
        if (end === 'done') return;
        if (delivery < DELIVERIES)
          this.scheduler.after(AGAIN_MS * 2 ** (delivery - 1), () => this.#check(batch, delivery + 1));
      });
  }

  #notify(): void {
    this.#invoke('notify', TIMEOUTS_MS.notify, (by) => {
      const { rules, runs, silences, notes, deliveries } = this.#stores;
      const channels = channelsOf(by, {
        ...{
          received: this.received,
          ledger: this.ledger,
          faults: this.faults,
          now: () => this.scheduler.now,
        },
        onChat: (notifications) => this.people.read(notifications),
      });
      return notifyPending({
        ...this.#shared(by),
        rules: by.port('rules', rules),
        runs: by.port('runs', runs),
        silences: by.port('silences', silences),
        notes: by.port('notes', notes),
        deliveries: by.port('deliveries', deliveries),
        channelFor: async (config, name) =>
          channels[name] ?? Promise.reject(new Error(`no ${secretsOf(config)[0]?.name}`)),
      });
    });
  }

  /** Sweeps once a minute. Skips minutes in which nothing is due, because they have no effect. */
  #sweepWhenDue(): void {
    const { pendingAt } = this.ledger;
    if (pendingAt === null) return;
    const at = Math.ceil((Math.max(pendingAt, this.scheduler.now) + 1) / MINUTE) * MINUTE;
    if (at >= this.#nextSweepAt) return;
    this.#nextSweepAt = at;
    this.scheduler.at(at, () => {
      if (this.#nextSweepAt !== at) return;
      this.#nextSweepAt = Infinity;
      this.#notify();
      const label = `sweep ${new Date(at).toISOString()}`;
      if (this.faults.pick(label, at, { 'delivered twice': 0.1 }))
        this.scheduler.after(this.faults.chance(`${label} twice`) * MINUTE, () => this.#notify());
      this.scheduler.after(MINUTE - SECOND, () => this.#sweepWhenDue());
    });
  }

  #respond(given: Given, who: string, onOutcome: (outcome: Answered) => void): Promise<End> {
    const by = this.#process('respond');
    const deps = {
      ...this.#shared(by),
      rules: by.port('rules', this.#stores.rules),
      used: by.port('used', this.#stores.used),
      audit: by.port('audit', this.#stores.audit),
    };
    return by.run(TIMEOUTS_MS.respond, async () =>
      onOutcome(await giveAnswer(given, { by: who, reason: '', how: 'link' }, deps)),
    );
  }

  /** Runs a function and retries it if it fails. */
  #invoke(
    name: string,
    timeoutMs: number,
    work: (by: Process) => Promise<unknown>,
    repeats = REPEATS_MS,
  ): void {
    const by = this.#process(name);
    void by
      .run(timeoutMs, () => work(by))
      .then((end) => {
        const [next, ...later] = repeats;
        if (end !== 'done' && next !== undefined)
          this.scheduler.after(next, () => this.#invoke(name, timeoutMs, work, later));
      });
  }

  /** Messages are delivered once or twice, soon or late, and in any order. */
  #queue<T>(labelOf: (item: T) => string, deliver: (item: T) => void): Queue<T> {
    return {
      send: async (items) => {
        for (const item of items) {
          const label = `${labelOf(item)} sent ${this.#nth(labelOf(item))}`;
          const { now } = this.scheduler;
          const odds = { 'delivered twice': 0.06, 'delivered late': 0.05 };
          const fault = this.faults.pick(label, now, odds);
          const wait = (of: string, most: number) => this.faults.chance(`${label} ${of}`) * most;
          const lateMs = fault === 'delivered late' ? wait('late', 2 * HOUR) : 0;
          this.scheduler.after(wait('soon', 2 * SECOND) + lateMs, () => deliver(item));
          if (fault === 'delivered twice')
            this.scheduler.after(wait('twice', 10 * MINUTE), () => deliver(item));
        }
      },
    };
  }

  #process(name: string): Process {
    // Named by its minute, so that one fault more or less does not rename later runs.
    const begun = `${name} ${new Date(this.scheduler.now).toISOString().slice(0, 16)}`;
    return new Process(`${begun}/${this.#nth(begun)}`, { scheduler: this.scheduler, faults: this.faults });
  }

  #nth(name: string): number {
    const nth = (this.#names.get(name) ?? 0) + 1;
    this.#names.set(name, nth);
    return nth;
  }

  /** The dependencies that all functions share. */
  #shared(by: Process) {
    return {
      alerts: by.port('alerts', this.#alerts, {
        onCall: (call, outcome) => this.#watch(call, outcome),
      }),
      clock: by.clock,
      logger: { info: () => {}, warn: () => {}, error: () => {} },
      meter: silentMeter,
    };
  }

  #watch({ by, name }: Call, outcome: Outcome): void {
    if (name !== 'alerts.save' || 'error' in outcome) return;
    const { now } = this.scheduler;
    const saved = outcome.value as Alert;
    const label = `lag ${nameOf(saved)} ${saved.revision}`;
    const isLate = this.faults.areDueAt(now) && this.faults.chance(label) < 0.3;
    const lagMs = isLate ? this.faults.chance(`${label} by`) * MOST_LAG_MS : 0;
    this.ledger.saved(saved, by, { now, lagMs });
    this.#sweepWhenDue();
  }
}

function storesOnSqlite(scheduler: Scheduler): Stores & { used: UsedLinks } {
  const table = openSqliteTable(':memory:', { now: () => scheduler.now, sleep: async () => {} });
  const logger = { info: () => {}, warn: () => {}, error: () => {} };
  return { ...storesIn(table, logger), used: usedLinksIn(table) };
}
