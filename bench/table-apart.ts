import { openLocalTable } from '../local/table.ts';
import { systemClock } from '../shared/runtime/clock.ts';

// A child process that holds the emulator's in-memory table until its parent disconnects.
const { socketPath, close } = await openLocalTable(systemClock);
process.once('disconnect', () => void close());
process.send?.({ socketPath });
