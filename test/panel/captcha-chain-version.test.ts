import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type CaptchaChains, startCaptchaChains, WHOLE } from '../support/captcha-chains.js';

let chains: CaptchaChains;
let site: string;

beforeAll(async () => {
  chains = await startCaptchaChains();
  site = chains.site;
});
afterEach(() => {
  expect(chains.providers.faults).toEqual([]);
  chains.providers.reset();
});
afterAll(() => chains.close());

const send = (query: string, variables: object) => chains.send(query, variables);

test('a website without a chain is told to have a proof of work', async () => {
  await chains.save([]);
  expect((await send('{ installation { captchaByDefault } }', {})).data.installation.captchaByDefault).toBe(
    true,
  );
});

describe('the version of a captcha chain', () => {
  const VERSION = 'query ($site: ID!) { website(id: $site) { captchaChainVersion captchaChain { key } } }';
  const versionNow = async (): Promise<string> =>
    (await send(VERSION, { site })).data.website.captchaChainVersion;
  const saveOver = (version: string | null, links: object[]) =>
    send(
      `mutation ($site: ID!, $links: [CaptchaLinkInput!]!, $version: String) {
         saveCaptchaChain(websiteId: $site, links: $links, version: $version) { key }
       }`,
      { site, links, version },
    );

  test('changes with order, setting and secret, and with nothing else', async () => {
    const seen: string[] = [];
    const { secret: _, ...kept } = WHOLE[0]!;
    for (const links of [
      [],
      [WHOLE[0], { key: 'altcha' }],
      [{ key: 'altcha' }, kept],
      [{ key: 'altcha' }, { ...kept, siteKey: 'other' }],
      [{ key: 'altcha' }, { ...kept, siteKey: 'other', secret: 'secret-other' }],
    ] as object[][]) {
      await saveOver(null, links);
      const version = await versionNow();
      await saveOver(null, links);
      expect(await versionNow()).toBe(version);
      seen.push(version);
    }
    expect(new Set(seen).size).toBe(seen.length);
  });

  test('that is not the present one is a CONFLICT, and nothing is saved', async () => {
    await saveOver(null, [{ key: 'altcha' }]);
    const read = await versionNow();
    const both = await Promise.all(['altcha:a', 'altcha:b'].map((key) => saveOver(read, [{ key }])));
    const codes = both.map(({ errors }) => errors?.[0]?.extensions.code ?? 'saved');
    expect(codes.sort()).toEqual(['CONFLICT', 'saved']);
    const winner = both.find(({ errors }) => !errors)!.data.saveCaptchaChain;
    expect((await send(VERSION, { site })).data.website.captchaChain).toEqual(winner);
  });
});

test('no answer and no line of the log holds a secret of the versions', () => {
  const { answers, written } = chains;
  expect(answers.length).toBeGreaterThan(20);
  expect(written.join('')).toContain('GraphQL operation');
  for (const secret of ['secret-ts', 'secret-other']) {
    expect(answers.filter((answer) => answer.includes(secret))).toEqual([]);
    expect(written.filter((line) => line.includes(secret))).toEqual([]);
  }
});
