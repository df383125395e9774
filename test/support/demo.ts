import { readFile } from 'node:fs/promises';
import { applyDocument } from '../../src/provision/apply.js';
import { readDocument } from '../../src/provision/document.js';
import type { Services } from '../../src/services.js';
import { TEST_ACTOR } from './factories.js';

/** What the documentation speaks of: a team of the example document, its owner and a website without a chain. */
export const DEMO = {
  team: 'lumen',
  owner: 'claire@lumen-paysage.test',
  websiteId: '01939a60-5c00-7a10-8b20-6c1f3a5e0002',
  origin: 'https://corse.lumen-paysage.test',
} as const;

/** Applies the example document, as the demo of a bare start does. Nobody can log in. */
export async function provisionDemo(services: Services): Promise<void> {
  const text = await readFile(new URL('../../examples/agency.yaml', import.meta.url), 'utf8');
  const document = readDocument(text, services.config.locales);
  // Hashing passwords takes time.
  const users = document.users.map((user) => ({ ...user, password: undefined }));
  await applyDocument(services, { ...document, users }, TEST_ACTOR);
}
