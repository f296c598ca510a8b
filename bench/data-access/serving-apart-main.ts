import { readFileSync } from 'node:fs';
import { openService } from './serving.ts';

// The child process of `forkService`. It sends its port once it serves, and its peak memory when asked to end.
const [directory = ''] = process.argv.slice(2);
const service = await openService(directory);
process.on('message', () => {
  process.send?.({ peakResidentMb: peakResidentMb() });
  service.close();
  process.disconnect();
});
process.on('disconnect', () => process.exit());
process.send?.({ port: service.port });

/** Peak resident memory, including memory that allocators keep. */
function peakResidentMb(): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kilobytes) / 1000;
}
