import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { SPOKEN } from '../../src/forms/definition/locales.js';
import { entryMessage } from '../../src/forms/validation/entry-messages.js';
import { validationMessage } from '../../src/forms/validation/validation-messages.js';
import { colonOf } from '../../src/lib/text/colon.js';

/* French has a no-break space before `: ; ? ! »` and after `«`, or a line may begin with one of them. */

const SRC = new URL('../../src/', import.meta.url).pathname;

/** Generated code, and what visitors of the demo's websites have typed. */
const OTHERS = /^generated|^embedded\/demo\/(?:texts|mail)\.ts$/;

const BREAKING = / [:;?!»]|« |«[^\u00a0]|[^\u00a0]»|[\p{L}\d}][?!](?=\s|$)|\p{L}[:;](?=\s|$)/u;

/** A DNS record, which has a typography of its own. */
const RECORD = /v=DMARC1\S+ .*?mailto:…/;

const LITERAL = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;

/** The French texts of a module: those of a table of their own, and of entries beside other languages'. */
function frenchTexts(code: string): string[] {
  const blocks =
    code.match(/^const (?:fr|FRENCH)\b.*?^\};|^( *)fr: \{.*?^\1\},?$|^ *fr: .*?[^{\n]$/gmsu) ?? [];
  return blocks.flatMap((block) => {
    const lines = block.split('\n').filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line));
    return (lines.join('\n').match(LITERAL) ?? []).map((literal) =>
      literal
        .slice(1, -1)
        .replaceAll(/\$\{[^}]*\}/g, '{}')
        .replace(RECORD, ''),
    );
  });
}

const modules = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !OTHERS.test(path))
  .map((path) => [path, frenchTexts(readFileSync(join(SRC, path), 'utf8'))] as const)
  .filter(([, texts]) => texts.length > 0);

test.each(modules)('the French texts of %s keep punctuation on the line of its word', (_path, texts) => {
  expect(texts.filter((text) => BREAKING.test(text))).toEqual([]);
});

test('every module with French texts is read', () => {
  const paths = modules.map(([path]) => path);
  const WORDS = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.words.ts'),
  );
  expect(paths).toEqual(expect.arrayContaining([...WORDS, 'spam/signals/signals.ts']));
});

test('the messages of the gateway in French keep punctuation on the line of its word', () => {
  const bare = ['required', 'consent', 'email', 'url', 'number', 'date', 'time', 'step', 'pattern'] as const;
  const limited = ['too_long', 'too_short', 'too_low', 'too_high', 'too_many_items'] as const;
  const ofRequest = ['type', 'single', 'choice', 'tick', 'too_costly', 'too_deep', 'too_many'] as const;
  const messages = [
    ...bare.map((code) => entryMessage({ code }, 'fr')),
    ...ofRequest.map((code) => validationMessage({ code }, 'fr')),
    ...limited.map((code) => validationMessage({ code, limit: 3 }, 'fr')),
    `E-mail${colonOf('fr')}x`,
  ];
  expect(SPOKEN).toContain('fr');
  expect(messages.filter((text) => BREAKING.test(text))).toEqual([]);
});
