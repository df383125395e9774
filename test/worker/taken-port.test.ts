import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, jest, test } from '@jest/globals';
import { startWorker } from '../../src/worker.js';
import { startTestApp } from '../support/app.js';

test('a worker whose port is taken ends before it takes any job', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const app = await startTestApp({ env: { WORKER_PORT: `${port}` } });
  const work = jest.spyOn(app.services.queues, 'work');
  const workScheduled = jest.spyOn(app.services.queues, 'workScheduled');
  try {
    await expect(startWorker(app.services)).rejects.toThrow('WORKER_PORT');
    expect(work).not.toHaveBeenCalled();
    expect(workScheduled).not.toHaveBeenCalled();
  } finally {
    await app.close();
    other.close();
  }
});
