import { expect, test } from '@jest/globals';
import { spamDigestWords } from '../../../src/submissions/spam-digest/spam-digest.words.js';
import en from '../../../web/panel/texts/en.json' with { type: 'json' };
import fr from '../../../web/panel/texts/fr.json' with { type: 'json' };

test.each([
  ['en', en, 'your team'],
  ['fr', fr, 'votre équipe'],
] as const)(
  'the digest names the controls of the panel by their words in it: %s',
  (language, panel, team) => {
    const { release, folder, advice } = spamDigestWords(language);
    expect(release).toMatch(new RegExp(`[“«]\\s?${panel['spam.notSpam']}\\s?[”»]`));
    expect(folder).toMatch(new RegExp(`^(Folder|Dossier) ${panel['folder.spam']}$`));
    expect(advice).toContain(` ${panel['nav.teams']}, ${team}, ${panel['teams.tab.spam']}.`);
  },
);
