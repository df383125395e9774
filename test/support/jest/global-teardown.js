import { rm } from 'node:fs/promises';

/** Stops what `global-setup.js` started. */
export default async function tearDown() {
  const { cluster, directory } = globalThis.testServer;
  await cluster.release();
  await rm(directory, { recursive: true, force: true });
}
