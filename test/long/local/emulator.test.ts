import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { launch } from '../../fixtures/deltawatch.ts';

test('the emulator survives a dropped connection, and a close during requests', async () => {
  const program = fileURLToPath(new URL('./busy-emulator.ts', import.meta.url));
  await using closing = launch(process.execPath, [program]);
  expect(await closing.ended).toEqual({ code: 0, stdout: 'closed', stderr: '' });
});
