import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createMailer, type Mailer } from '../../../src/mail/mailer.js';
import {
  renderSubmissionEmail,
  type SubmissionEmail,
} from '../../../src/notifications/submission-email/submission-email.template.js';
import { type SinkMessage, startSmtpSink } from '../../support/smtp.js';

const SUBMISSION: SubmissionEmail = {
  leadId: '0198c2a4-7c1a-7000-8000-000000000001',
  createdAt: new Date('2026-11-21T09:30:00Z'),
  website: { name: 'Acme Paris', host: 'www.acme.test', locale: 'fr', timeZone: 'Europe/Paris' },
  form: { name: 'Contact' },
  fields: [
    { label: 'E-mail', type: 'email', value: 'ada@visitor.test' },
    { label: 'Sujets', type: 'select', value: ['Devis', 'Rendez-vous'] },
    { label: 'Message', type: 'textarea', value: 'Bonjour,\r\n\r\nune question.' },
    { label: 'Budget', type: 'number', value: 1200.5 },
    { label: 'J’accepte', type: 'consent', value: true },
    { label: 'Lettre d’information', type: 'consent', value: false },
  ],
  undeclared: { color: 'red', size: { width: 3, tags: ['a'] } },
  page: { url: 'https://www.acme.test/contact?a=1&b=2', title: 'Contactez-nous' },
  attribution: { referrer: 'https://search.test/', utm_source: 'news', utm_medium: 'mail' },
  needsReview: false,
  recipients: ['desk@acme.test'],
};

let sink: Awaited<ReturnType<typeof startSmtpSink>>;
let mailer: Mailer;
beforeAll(async () => {
  sink = await startSmtpSink();
  mailer = createMailer({ smtpUrl: sink.url, from: { name: 'Formgate', address: 'forms@gate.test' } });
});
afterAll(async () => {
  await mailer.close();
  await sink.stop();
});

async function deliver(changes: Partial<SubmissionEmail>): Promise<SinkMessage> {
  const earlier = sink.messages.length;
  const message = renderSubmissionEmail({ ...SUBMISSION, ...changes });
  expect(await mailer.send(message)).toMatchObject({ outcome: 'sent' });
  return sink.messages[earlier]!;
}

/** Every character that changes the direction of the text after it or around it. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

const keysOf = ({ mail }: SinkMessage) => mail.headers.map(({ key }) => key).sort();
const HEADERS = [
  'auto-submitted',
  'content-type',
  'date',
  'from',
  'message-id',
  'mime-version',
  'reply-to',
  'subject',
  'to',
];

test('the e-mail of a submission has its fields, labels and context', async () => {
  const { mail } = await deliver({});
  expect(mail.subject).toBe('Nouvelle demande : Contact — Acme Paris');
  expect(mail.to).toEqual([{ name: '', address: 'desk@acme.test' }]);
  expect(mail.replyTo).toEqual([{ name: '', address: 'ada@visitor.test' }]);
  expect(mail.messageId).toBe('<0198c2a4-7c1a-7000-8000-000000000001@gate.test>');
  expect(new Date(mail.date!)).toEqual(SUBMISSION.createdAt);
  expect(mail.text?.trimEnd()).toBe(
    `Une nouvelle demande vous est parvenue par le formulaire «\u00a0Contact\u00a0» de www.acme.test.

E-mail\u00a0: ada@visitor.test
Sujets\u00a0: Devis, Rendez-vous
Message\u00a0:
  Bonjour,
  
  une question.
Budget\u00a0: 1200.5
J’accepte\u00a0: Oui
Lettre d’information\u00a0: Non

--- Autres informations reçues ---
Ces champs ne font pas partie du formulaire\u00a0; leur contenu n’a pas été contrôlé.
color\u00a0: red
size\u00a0:
  {
    "width": 3,
    "tags": [
      "a"
    ]
  }

--- À propos de cette demande ---
Reçue le\u00a0: samedi 21 novembre 2026 à 10:30 UTC+1
Site\u00a0: Acme Paris (www.acme.test)
Formulaire\u00a0: Contact
Page\u00a0: Contactez-nous
Adresse de la page\u00a0: https://www.acme.test/contact?a=1&b=2
Provenance\u00a0: https://search.test/
Campagne\u00a0: utm_source=news, utm_medium=mail
Référence\u00a0: 0198c2a4-7c1a-7000-8000-000000000001`,
  );
  expect(mail.html).toContain('<html lang="fr">');
  expect(mail.html).toContain('>Bonjour,<br><br>une question.</div></td>');
  expect(mail.html).toContain('href="https://www.acme.test/contact?a=1&amp;b=2"');
  expect(mail.html).not.toMatch(/\ssrc=|url\(|<link|<script|@import/);
});

test('each address of a field of several is a link of its own', () => {
  const value = ['https://ada.test/', 'https://bob.test/a,b'];
  const { html, text } = renderSubmissionEmail({
    ...SUBMISSION,
    fields: [{ label: 'Sites', type: 'url', value }],
    page: null,
    attribution: null,
  });
  expect([...html.matchAll(/<a href="([^"]*)"[^>]*>([^<]*)<\/a>/g)].map(([, ...link]) => link)).toEqual(
    value.map((url) => [url, url]),
  );
  expect(text).toContain('Sites\u00a0: https://ada.test/\nSites\u00a0: https://bob.test/a,b\n');
});

test.each([
  '\u202emoc.knab',
  '\u2067moc.knab\u2069',
  '\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u2066\u2068moc.knab',
])('a link shows no other host than it leads to: %j', (end) => {
  const url = `https://evil.example/${end}`;
  const { html, text } = renderSubmissionEmail({
    ...SUBMISSION,
    fields: [{ label: 'Site', type: 'url', value: url }],
    page: { url, title: null },
    attribution: { referrer: url },
  });
  const links = [...html.matchAll(/<a href="([^"]*)"[^>]*>([^<]*)<\/a>/g)].map(([, ...link]) => link);
  expect(links).toEqual(Array(3).fill([new URL(url).href, 'https://evil.example/moc.knab']));
  expect(text).not.toMatch(DIRECTION);
});

test.each([
  ['xn--socit-esab.example', 'société.example'],
  ['www.xn--socit-esab.example:8443', 'www.société.example:8443'],
  ['xn--80akhbyknj4f.example', 'испытание.example'],
  ['xn--socit-esab.xn--a', 'xn--socit-esab.xn--a'],
  ['[::1]:8080', '[::1]:8080'],
  ['www.acme.test', 'www.acme.test'],
])('a website at %s is named %s', (host, name) => {
  const { text, html } = renderSubmissionEmail({ ...SUBMISSION, website: { ...SUBMISSION.website, host } });
  for (const part of [text, html]) {
    expect(part).toContain(`de ${name}.`);
    expect(part).toContain(`Acme Paris (${name})`);
  }
});

test('absent values have no row', () => {
  const { text, replyTo } = renderSubmissionEmail({
    ...SUBMISSION,
    fields: [],
    undeclared: {},
    page: null,
    attribution: null,
  });
  expect(replyTo).toBeNull();
  expect(text).not.toMatch(/Autres informations|Page|Adresse|Provenance|Campagne/);
});

test('the e-mail of a submission without a captcha verdict says so first', () => {
  const { text, html } = renderSubmissionEmail({ ...SUBMISSION, needsReview: true });
  expect(text.split('\n\n')[1]).toMatch(/^À vérifier\u00a0: /);
  expect(html).toContain('<strong>À vérifier');
});

describe.each([
  ['fr', 'fr', 'Nouvelle demande : Contact — Acme Paris', 'Oui', 'samedi 21 novembre 2026 à 10:30'],
  ['en', 'en', 'New request: Contact — Acme Paris', 'Yes', 'Saturday, 21 November 2026 at 10:30'],
  ['de', 'de', 'Neue Anfrage: Contact — Acme Paris', 'Ja', 'Samstag, 21. November 2026 um 10:30'],
  ['es', 'es', 'Nueva solicitud: Contact — Acme Paris', 'Sí', 'sábado, 21 de noviembre de 2026, 10:30'],
  ['it', 'it', 'Nuova richiesta: Contact — Acme Paris', 'Sì', 'sabato 21 novembre 2026 alle ore 10:30'],
  ['nl', 'nl', 'Nieuwe aanvraag: Contact — Acme Paris', 'Ja', 'zaterdag 21 november 2026 om 10:30'],
  ['pt', 'pt', 'Novo pedido: Contact — Acme Paris', 'Sim', 'sábado, 21 de novembro de 2026 às 10:30'],
  ['pt-BR', 'pt', 'Novo pedido: Contact — Acme Paris', 'Sim', 'sábado, 21 de novembro de 2026 às 10:30'],
  ['FR_be', 'fr', 'Nouvelle demande : Contact — Acme Paris', 'Oui', 'samedi 21 novembre 2026 à 10:30'],
  ['ja', 'en', 'New request: Contact — Acme Paris', 'Yes', 'Saturday, 21 November 2026 at 10:30'],
  ['', 'en', 'New request: Contact — Acme Paris', 'Yes', 'Saturday, 21 November 2026 at 10:30'],
])('a website in %j', (locale, language, subject, yes, date) => {
  test(`gets its e-mail in ${language}`, () => {
    const message = renderSubmissionEmail({
      ...SUBMISSION,
      website: { ...SUBMISSION.website, locale },
      needsReview: true,
    });
    expect(message.subject).toBe(subject);
    expect(message.html).toContain(`<html lang="${language}">`);
    expect(message.text).toMatch(new RegExp(`^J’accepte\\s?: ${yes}$`, 'm'));
    expect(message.text).toContain(date);
    expect(message.text).not.toContain('undefined');
  });
});

describe('the date', () => {
  test.each([
    ['2026-03-29T00:59:00Z', 'Europe/Paris', '01:59 UTC+1'],
    ['2026-03-29T01:00:00Z', 'Europe/Paris', '03:00 UTC+2'],
    ['2026-10-25T00:30:00Z', 'Europe/Paris', '02:30 UTC+2'],
    ['2026-10-25T01:30:00Z', 'Europe/Paris', '02:30 UTC+1'],
    ['2026-07-01T12:00:00Z', 'America/Guadeloupe', '08:00 UTC−4'],
    ['2026-07-01T22:30:00Z', 'Pacific/Noumea', 'jeudi 2 juillet 2026 à 09:30 UTC+11'],
    ['2026-07-01T12:00:00Z', 'Mars/Olympus', '12:00 UTC'],
  ])('%s in %s is %s', (moment, timeZone, expected) => {
    const website = { ...SUBMISSION.website, timeZone };
    const { text } = renderSubmissionEmail({ ...SUBMISSION, website, createdAt: new Date(moment) });
    const line = text.split('\n').find((candidate) => candidate.startsWith('Reçue le'))!;
    expect(line.endsWith(expected)).toBe(true);
  });
});

describe('Reply-To', () => {
  const replyToOf = (...fields: SubmissionEmail['fields']) =>
    renderSubmissionEmail({ ...SUBMISSION, fields }).replyTo;

  test('is the first valid value of an e-mail field', () => {
    expect(
      replyToOf(
        { label: 'Nom', type: 'text', value: 'name@visitor.test' },
        { label: 'E-mail', type: 'email', value: 'ada@visitor.test\r\nBcc: eve@evil.test' },
        { label: 'E-mails', type: 'email', value: ['ada@', 'ada@visitor.test', 'bob@visitor.test'] },
      ),
    ).toBe('ada@visitor.test');
  });

  test('is absent without one', () => {
    expect(replyToOf({ label: 'E-mail', type: 'email', value: 'a@b.test, c@d.test' })).toBeNull();
  });
});

describe('hostile values', () => {
  const INJECTION = 'Acme\r\nBcc: eve@evil.test\r\n\r\n<script>alert(1)</script>\u202e';

  test('add no header and no recipient', async () => {
    const message = await deliver({
      website: { ...SUBMISSION.website, name: INJECTION, host: INJECTION },
      form: { name: INJECTION },
      fields: [
        { label: INJECTION, type: 'email', value: 'ada@visitor.test' },
        { label: INJECTION, type: 'text', value: INJECTION },
      ],
      page: { url: INJECTION, title: INJECTION },
    });
    expect(keysOf(message)).toEqual(HEADERS);
    expect(message.recipients).toEqual(['desk@acme.test']);
    expect(message.mail.subject).toMatch(/^Nouvelle demande : Acme Bcc: eve@evil\.test <script>/);
  });

  test('are text in the HTML part', () => {
    const markup = `"><img src=x onerror='alert(1)'>&amp;`;
    const escaped = '&quot;&gt;&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&amp;amp;';
    const { html } = renderSubmissionEmail({
      ...SUBMISSION,
      website: { ...SUBMISSION.website, name: markup },
      form: { name: markup },
      fields: [{ label: markup, type: 'text', value: markup }],
      undeclared: { [markup]: markup, nested: { [markup]: [markup] } },
      page: { url: markup, title: markup },
      attribution: { referrer: markup, [markup]: markup },
    });
    expect(html).not.toContain('<img');
    expect(html.split(escaped).length).toBeGreaterThan(8);
  });

  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    ' java\nscript:alert(1)',
    '//evil.test',
    'mailto:a@b.test',
  ])('never become a link: %j', (url) => {
    const { html } = renderSubmissionEmail({
      ...SUBMISSION,
      fields: [{ label: 'Site', type: 'url', value: url }],
      page: { url, title: null },
      attribution: { referrer: url },
    });
    expect(html).not.toContain('href');
  });

  test('of several lines cannot imitate another field', () => {
    const { text } = renderSubmissionEmail({
      ...SUBMISSION,
      fields: [
        { label: 'Message', type: 'textarea', value: 'Hello\rE-mail : boss@acme.test\u2028Budget : 1' },
      ],
    });
    expect(text).toContain('\nMessage\u00a0:\n  Hello\n  E-mail : boss@acme.test\n  Budget : 1\n');
  });

  test('of a field named __proto__ are shown like any other', () => {
    const undeclared = JSON.parse('{"__proto__": {"admin": true}, "constructor": null}');
    const { text } = renderSubmissionEmail({ ...SUBMISSION, undeclared });
    expect(text).toContain('__proto__\u00a0:\n  {\n    "admin": true\n  }\nconstructor\u00a0: null\n');
  });
});

test('a value of 200,000 characters arrives whole', async () => {
  const value = `${'é€𝄞 '.repeat(50_000)}end`;
  const { mail } = await deliver({ fields: [{ label: 'Message', type: 'textarea', value }] });
  expect(mail.text).toContain(`Message\u00a0: ${value}\n`);
  expect(mail.html).toContain(`>${value}</div></td>`);
});

test('any submission arrives as one message from us, with every value unchanged', async () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.string());
  const fields = fc.array(
    fc.record({
      label: text,
      type: fc.constantFrom('text', 'textarea', 'email', 'url', 'select'),
      value: fc.oneof(text, fc.array(text), fc.boolean(), fc.double({ noNaN: true })),
    }),
    { maxLength: 5 },
  );
  const submissions = fc.record({
    website: fc.record({ name: text, host: text, locale: text, timeZone: text }),
    form: fc.record({ name: text }),
    fields,
    undeclared: fc.dictionary(text, fc.jsonValue() as fc.Arbitrary<unknown>, { maxKeys: 4 }),
    page: fc.option(fc.record({ url: fc.option(text), title: fc.option(text) })),
    needsReview: fc.boolean(),
  });

  await fc.assert(
    fc.asyncProperty(submissions, async (changes) => {
      const visitor = { label: 'E-mail', type: 'email', value: 'ada@visitor.test' };
      const message = await deliver({ ...changes, fields: [visitor, ...changes.fields] });
      expect(keysOf(message)).toEqual(HEADERS);
      expect(message.recipients).toEqual(['desk@acme.test']);
      expect(message.mail.from?.address).toBe('forms@gate.test');
      expect(message.mail.replyTo).toHaveLength(1);
      for (const { value, type } of changes.fields) {
        if (typeof value !== 'string') continue;
        const shown = type === 'url' ? value.replace(DIRECTION, '') : value;
        expect(valuesOf(message.mail.text!)).toContain(asShown(shown));
      }
      for (const value of Object.values(changes.undeclared)) {
        const json = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
        expect(valuesOf(message.mail.text!)).toContain(asShown(json));
      }
    }),
    { numRuns: 60 },
  );
});

/** The documented normalisation: one kind of line end, and U+FFFD for what no reader can show. */
function asShown(value: string): string {
  const newlines = value.replace(/\r\n|\r|\u2028|\u2029/g, '\n');
  return [...newlines]
    .map((character) => {
      const code = character.codePointAt(0)!;
      const isControl = code < 32 ? code !== 9 && code !== 10 : code >= 127 && code < 160;
      return isControl || (code >= 0xd800 && code <= 0xdfff) ? '\ufffd' : character;
    })
    .join('');
}

/** Every text that could be a value in the text part: all that follows a colon, and each indented block. */
function valuesOf(text: string): Set<string> {
  const lines = text.split('\n');
  const values = new Set<string>();
  let block: string[] = [];
  for (const line of [...lines, '']) {
    if (line.startsWith('  ')) {
      block.push(line.slice(2));
      continue;
    }
    if (block.length > 0) values.add(block.join('\n'));
    block = [];
    for (let at = line.indexOf(': '); at >= 0; at = line.indexOf(': ', at + 1))
      values.add(line.slice(at + 2));
  }
  return values;
}

test.each(['fr', 'en', 'de', 'es', 'it', 'nl', 'pt'])(
  'a forwarded submission is another message that names who forwards it (%s)',
  async (locale) => {
    const at = new Date('2026-11-23T10:00:00Z');
    const id = '0198c2a4-7c1a-7000-8000-0000000000ff';
    const forwarded = { by: 'Zoé\n<b>', note: 'Please call.\nForm: none' };
    const website = { ...SUBMISSION.website, locale };
    const { mail } = await deliver({ website, request: { id, at, forwarded } });
    expect(mail.subject).toMatch(/^Fwd: /);
    expect(mail.messageId).toBe(`<${id}@gate.test>`);
    expect(new Date(mail.date!)).toEqual(at);
    expect(mail.text).toMatch(/^Zoé <b> .*Contact.*www\.acme\.test/);
    expect(mail.text).toMatch(/\n\S+\s?:\n {2}Please call\.\n {2}Form: none\n\n/);
    expect(mail.html).toContain('Zoé &lt;b&gt;');
  },
);
