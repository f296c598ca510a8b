import { ensureDemoData } from '../../../local/demo-data.ts';
import { NOW } from '../../contracts/samples.ts';

// Aborts while the demo shop is written to a terminal. The process ends by itself if nothing stays open.
process.stderr.isTTY = true;
const stop = new AbortController();
const [dataDir = ''] = process.argv.slice(2);
const writing = ensureDemoData(dataDir, NOW, stop.signal, (_, days) => {
  if (days === 3) stop.abort();
});
await writing.catch((error: unknown) => {
  process.stdout.write(error === stop.signal.reason ? 'interrupted' : String(error));
});
