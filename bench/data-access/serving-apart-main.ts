import { readFileSync } from 'node:fs';
import { openService } from './serving.ts';

// A process of its own for `forkService`: says its port once it serves, and its peak when it is told to end.
const [directory = ''] = process.argv.slice(2);
const service = await openService(directory);
process.on('message', () => {
  process.send?.({ peakResidentMb: peakResidentMb() });
  service.close();
  process.disconnect();
});
process.on('disconnect', () => process.exit());
process.send?.({ port: service.port });

/** The most memory that was ever resident, what allocators hold back included. */
function peakResidentMb(): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kilobytes) / 1000;
}
