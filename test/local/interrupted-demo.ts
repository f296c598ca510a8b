import { ensureDemoData } from '../../local/demo-data.ts';
import { NOW } from '../contracts/samples.ts';

// Ctrl-C on a terminal while the demo shop is being written. The process ends by itself if nothing is left open.
process.stderr.isTTY = true;
const stop = new AbortController();
const [dataDir = ''] = process.argv.slice(2);
const writing = ensureDemoData(dataDir, NOW, stop.signal, (_, days) => {
  if (days === 3) stop.abort();
});
await writing.catch((error: unknown) => {
  process.stdout.write(error === stop.signal.reason ? 'interrupted' : String(error));
});
