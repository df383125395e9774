import { describe, expect, test } from '@jest/globals';
import { replyAddress } from '../../../web/panel/pages/inbox/lead/reply.js';

type Field = Readonly<{ label: string; text: string; type?: string }>;
type Given = Readonly<{ emails?: string[]; form?: string; website?: string; fields?: readonly Field[] }>;

const say = (id: string, values: Record<string, string>) =>
  id === 'labelled' ? `${values.label}: ${values.value}` : `Re: ${values.form}, ${values.website}`;

const addressOf = ({
  emails = ['ana@example.test'],
  form = 'Contact',
  website = 'Acme',
  fields = [],
}: Given) =>
  replyAddress(
    {
      emails,
      form: { name: form },
      website: { name: website },
      fields: fields.map(({ type = 'text', ...field }) => ({ type, ...field })),
    },
    say,
  );

/** Reads an address as an e-mail program does. */
function read(given: Given) {
  const url = new URL(addressOf(given)!);
  const parts = url.search
    .slice(1)
    .split('&')
    .map((part) => part.split('=').map(decodeURIComponent));
  return { to: decodeURIComponent(url.pathname), ...Object.fromEntries(parts) };
}

describe('the answer to a lead', () => {
  test('goes to the visitor, names the form, and quotes each line', () => {
    const fields = [
      { label: 'Name', text: 'Ana Ruiz' },
      { label: 'Message', text: 'one\ntwo\r\nthree\rfour', type: 'textarea' },
    ];
    expect(read({ fields })).toEqual({
      to: 'ana@example.test',
      subject: 'Re: Contact, Acme',
      body: '\r\n\r\n> Name: Ana Ruiz\r\n> Message: one\r\n> two\r\n> three\r\n> four',
    });
  });

  test('quotes neither hidden fields nor consents nor what was left empty', () => {
    const fields = [
      { label: 'Source', text: 'newsletter', type: 'hidden' },
      { label: 'I agree', text: 'true', type: 'consent' },
      { label: 'Phone', text: '' },
    ];
    expect(read({ fields }).body).toBe('\r\n');
  });

  test('keeps what means something in addresses as it was written', () => {
    const odd = '100 % & more? a=b #1 +2 %0A';
    const answer = read({
      emails: ['a+b%c@example.test'],
      form: odd,
      fields: [{ label: odd, text: odd }],
    });
    expect(answer).toEqual({
      to: 'a+b%c@example.test',
      subject: `Re: ${odd}, Acme`,
      body: `\r\n\r\n> ${odd}: ${odd}`,
    });
  });

  test('has a subject of one line, whatever the names', () => {
    const { subject } = read({ form: 'Contact\r\nBcc: all@example.test', website: 'Ac\nme' });
    expect(subject).toBe('Re: Contact Bcc: all@example.test, Ac me');
  });

  test.each([
    ['letters', 'a'],
    ['accents', 'é'],
    ['astral characters', '🌿'],
    ['lines', '\n'],
    ['halves of a character', '\ud83c'],
  ])('is at most 2,000 characters long, of %s too', (_, repeated) => {
    const long = repeated.repeat(5_000);
    const given = { form: long, website: long, fields: [{ label: 'Message', text: long }] };
    expect(addressOf(given)!.length).toBeLessThanOrEqual(2_000);
    expect(addressOf(given)!.length).toBeGreaterThan(1_950);
    expect(read(given).body).toMatch(/^\r\n\r\n> .*…$/s);
    expect(read(given).subject).toMatch(/^Re: /);
  });

  test('is not offered where there is no address to write to', () => {
    expect(addressOf({ emails: [] })).toBeNull();
    expect(addressOf({ emails: ['two@example.test,three@example.test'] })).toBeNull();
  });
});
