import { openLocalTable } from '../local/table.ts';
import { systemClock } from '../shared/runtime/clock.ts';

// A child that holds the emulator's table, in memory, for as long as whoever started it wants it.
const { socketPath, close } = await openLocalTable(systemClock);
process.once('disconnect', () => void close());
process.send?.({ socketPath });
