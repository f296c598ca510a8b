import { serve } from '../../local/serve.ts';
import { systemClock } from '../../shared/runtime/clock.ts';
import { IMPORTED_DATA } from '../options/project.ts';
import { listOf, wholeNumberIn } from '../terminal/arguments.ts';
import { Command } from '../terminal/command.ts';

interface Options {
  data: string;
  port: number;
  host: string;
  cors?: string[];
}

/** `deltawatch serve`: runs the data access service alone. SIGINT and SIGTERM end it with exit code 0. */
export function serveCommand(): Command {
  return new Command('serve')
    .description('Run the data access service alone, over a folder of data')
    .option('--data <dir>', 'Folder of the data and its API keys', IMPORTED_DATA)
    .option('--port <number>', 'Port to listen on; 0 for any free port', wholeNumberIn(0, 65_535), 4200)
    .option('--host <address>', 'Address to listen on', '127.0.0.1')
    .option('--cors <origin>', 'Origin whose pages may read in a browser; can be repeated', listOf)
    .example('serve --data shop-data', 'Serve the data in shop-data')
    .action(async ({ data, port, host, cors = [] }: Options) => {
      const stop = new AbortController();
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
      const { signal } = stop;
      await serve({ dataDir: data, port, host, corsOrigins: cors, clock: systemClock, signal });
    });
}
