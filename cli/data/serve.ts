import { Command } from 'commander';
import { serve } from '../../local/serve.ts';
import { systemClock } from '../../shared/runtime/clock.ts';
import { examples, listOf, wholeNumberIn } from '../terminal/arguments.ts';

interface Options {
  data: string;
  port: number;
  host: string;
  cors?: string[];
  metrics?: string;
}

/** `deltawatch serve`: the data access service alone. Being told to stop ends it with exit code 0. */
export function serveCommand(): Command {
  return new Command('serve')
    .description('serve the data of a folder over HTTP: the data access service alone')
    .option('--data <dir>', 'folder of the data and its API keys', '.deltawatch/data')
    .option('--port <number>', 'where it listens', wholeNumberIn(1, 65_535), 4200)
    .option('--host <address>', 'on which address of this machine', '127.0.0.1')
    .option('--cors <origin>', 'whose pages may read in a browser, as https://a.example; repeat', listOf)
    .option('--metrics <namespace>', 'count requests as CloudWatch embedded metrics')
    .addHelpText('after', examples(['serve --data shop-data', 'for whoever has a key of the folder']))
    .action(async ({ data, port, host, cors = [], metrics }: Options) => {
      const stop = new AbortController();
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
      await serve({
        dataDir: data,
        port,
        host,
        corsOrigins: cors,
        metricsNamespace: metrics,
        clock: systemClock,
        signal: stop.signal,
      });
    });
}
