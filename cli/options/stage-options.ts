import type { Command } from 'commander';
import type { Project } from '../../shared/config/load-config.ts';

/** Options added by `ofStage`. */
export interface StageOptions {
  rules: string;
  profile?: string;
  region?: string;
  project?: Project;
}

/** Adds the argument of a stage, and the options to reach it. */
export function ofStage(command: Command): Command {
  return command
    .argument('<stage>', 'Stage of deltawatch.config.ts')
    .option('--rules <dir>', 'Folder of the rule files', 'rules')
    .option('--profile <name>', 'AWS CLI profile')
    .option('--region <name>', 'AWS region, for a stage without region; default: that of the profile');
}
