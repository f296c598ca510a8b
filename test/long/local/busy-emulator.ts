import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { alertStoreIn } from '../../../shared/store/alert-store.ts';
import { aFiringAlert, NOW } from '../../contracts/samples.ts';
import { openEmulatedTable } from '../../fixtures/dynamodb.ts';

// Drops a connection in the middle of a request, and closes the emulator in the middle of many others.
const clock = new ManualClock(NOW);
for (const turns of [0, 1, 5, 20, 40]) {
  const table = await openEmulatedTable(clock);
  const socket = connect(table.socketPath);
  await once(socket, 'connect');
  socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf');
  const store = alertStoreIn(table);
  const saves = Array.from({ length: 30 }, (_, i) => store.save(aFiringAlert({ segment: `s${i}` })));
  const settled = Promise.allSettled(saves);
  for (let turn = 0; turn < turns; turn++) await setImmediate();
  socket.destroy();
  await table.close();
  await settled;
}
process.stdout.write('closed');
