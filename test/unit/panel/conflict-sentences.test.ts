import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { textOfConflict } from '../../../web/panel/parts/form/conflict-sentences.js';

/** Conflicts that another change has caused, and those that a page offers no way to or tells at a field. */
const OTHERS = [
  /^There already is (?:a plan|a team|a view|an account) of this/,
  /^This account already is /,
  /^This account has an authenticator app already/,
  /^This is the last owner/,
  /^Only an owner can hand the team over/,
  /^You cannot /,
  /^(?:Change|Remove) the (?:address|password|second factor) of your own account/,
  /^Staff need a second factor/,
  /^The (?:website|form) has submissions/,
  /^The .* (?:has|have) (?:been )?changed/,
  /^The webhook is disabled/,
  / former secrets still sign/,
];

/** Every sentence with which the gateway refuses what conflicts with the stored state. */
const sentences = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.startsWith('generated'))
  .flatMap((name) => [
    ...readFileSync(join('src', name), 'utf8').matchAll(/\bconflict\(\s*(?:'([^']+)'|`([^`]+)`)/g),
  ])
  .map(([, text, template]) => text ?? template!.replace(/\$\{[^}]*\}/g, '7'));

describe('a conflict', () => {
  test('is told as the change of another only where it may be one', () => {
    expect(sentences.length).toBeGreaterThan(25);
    const untold = sentences.filter((sentence) => textOfConflict(sentence) === null);
    expect(untold.filter((sentence) => !OTHERS.some((known) => known.test(sentence)))).toEqual([]);
    expect(untold).toContain('The form has been changed meanwhile.');
  });

  test.each([
    ['An account has 50 views at most.', { id: 'error.full', limit: 50 }],
    [
      'A bearer has 1,000 tokens of an organization at most. Revoke those that are no longer used.',
      { id: 'error.full', limit: 1_000 },
    ],
    [
      'This account is the only owner of: Acme, Lumen. Corse. Appoint another first.',
      { id: 'error.onlyOwner', teams: 'Acme, Lumen. Corse' },
    ],
    ['An earlier redelivery of the webhook still goes on: try again in a moment.', { id: 'error.busy' }],
  ])('is told by what it says: %s', (sentence, said) => {
    expect(textOfConflict(sentence)).toMatchObject(said);
  });
});
