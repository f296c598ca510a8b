import type { File, Task, Test } from '@vitest/runner';
import { startTests } from '@vitest/runner';
import { VitestTestRunner } from 'vitest/runners';

/** Selects tests, and is called before each. */
interface Choice {
  isWanted: (test: Test) => boolean;
  begins: (test: Test) => void;
}

/**
 * Runs test files repeatedly in one worker without reports. Their modules stay loaded, which saves most of the time.
 */
export default class QuietRunner extends VitestTestRunner {
  static outer: QuietRunner | undefined;
  choice: Choice | undefined;
  hasFailed = false;

  constructor(config: VitestTestRunner['config']) {
    super(config);
    QuietRunner.outer ??= this;
  }

  static async run(file: string, choice: Choice): Promise<File> {
    const { outer } = QuietRunner;
    if (!outer) throw new Error('no worker runs');
    const inner = new QuietRunner(outer.config);
    inner.choice = choice;
    // Vitest sets these on the runner that it creates.
    Object.defineProperty(inner, 'moduleRunner', { value: Reflect.get(outer, 'moduleRunner') });
    inner.__setTraces(Reflect.get(outer, '_otel'));
    const [ran] = await startTests([file], inner);
    if (!ran) throw new Error(`${file} holds no tests`);
    return ran;
  }

  override importFile(filepath: string) {
    // As a setup file, which Vitest loads again each time.
    return super.importFile(filepath, 'setup');
  }

  override async onBeforeRunTask(test: Task) {
    if (this.choice && test.type === 'test' && (this.hasFailed || !this.choice.isWanted(test)))
      test.mode = 'skip';
    await super.onBeforeRunTask(test as Test);
  }

  override onBeforeTryTask(test: Task) {
    if (test.type === 'test') this.choice?.begins(test);
    super.onBeforeTryTask(test);
  }

  override onAfterRunTask(test: Task) {
    if (test.result?.state === 'fail') this.hasFailed = this.choice !== undefined;
    super.onAfterRunTask(test);
  }
}
