import { describe, expect, test } from '@jest/globals';
import type { LocalizedField } from '../../../src/forms/definition/translate.js';
import { summaryOf } from '../../../src/submissions/inbox/submission-summary.js';

type Field = readonly [name: string, type: LocalizedField['type'], label?: string, autocomplete?: string];

function fieldsOf(fields: readonly Field[]): LocalizedField[] {
  return fields.map(([name, type, label = name, autocomplete]) => ({
    name,
    type,
    label,
    isRequired: false,
    showLabel: true,
    isMultiple: false,
    placeholder: null,
    helpText: null,
    linkUrl: null,
    visibility: null,
    options: type === 'select' ? [{ value: 'garden', label: 'Créer un jardin' }] : [],
    attributes: { ...(autocomplete && { autocomplete }) },
  }));
}

const sum = (fields: readonly Field[], values: object) =>
  summaryOf({ locale: 'fr', values, consents: {} }, fieldsOf(fields));

describe('the title is', () => {
  test.each<[string, Field[], object]>([
    ['a field named name', [['name', 'text']], { name: 'Zoé Martin' }],
    [
      'given and family name',
      [
        ['nom', 'text'],
        ['prenom', 'text'],
      ],
      { nom: 'Martin', prenom: 'Zoé' },
    ],
    [
      'words of a name in camel case',
      [
        ['lastName', 'text'],
        ['firstName', 'text'],
      ],
      { lastName: 'Martin', firstName: 'Zoé' },
    ],
    ['found by the label', [['field_1', 'text', 'Votre nom']], { field_1: 'Zoé Martin' }],
    [
      'found by autocomplete',
      [
        ['a', 'text', 'A', 'billing family-name'],
        ['b', 'text', 'B', 'given-name'],
      ],
      { a: 'Martin', b: 'Zoé' },
    ],
    [
      'not the name of a company where there is another',
      [
        ['company', 'text', 'Company name'],
        ['name', 'text'],
      ],
      { company: 'Acme', name: 'Zoé Martin' },
    ],
    ['one line', [['name', 'text']], { name: ' Zoé\n\u202eMartin ' }],
  ])('%s', (_case, fields, values) => {
    expect(sum(fields, values).title).toBe('Zoé Martin');
  });

  test('else the company, the e-mail address, the telephone number', () => {
    const fields: Field[] = [
      ['tel', 'tel'],
      ['email', 'email'],
      ['firma', 'text'],
      ['name', 'text'],
    ];
    const values = { tel: '01 02', email: 'zoe@x.test', firma: 'Acme', name: '' };
    expect(sum(fields, values).title).toBe('Acme');
    expect(sum(fields, { ...values, firma: ' ' }).title).toBe('zoe@x.test');
    expect(sum(fields, { tel: '01 02' }).title).toBe('01 02');
    expect(sum(fields, {})).toEqual({ title: null, excerpt: null });
  });

  test('cut to 80 characters', () => {
    expect(sum([['name', 'text']], { name: '🌳'.repeat(100) }).title).toBe(`${'🌳'.repeat(79)}…`);
  });
});

describe('the excerpt is', () => {
  test('topic and message, with the labels of options, in one line', () => {
    const fields: Field[] = [
      ['message', 'textarea'],
      ['topic', 'select'],
      ['budget', 'number'],
    ];
    const values = { message: 'Bonjour,\n40 m²', topic: 'garden', budget: 5 };
    expect(sum(fields, values).excerpt).toBe('Créer un jardin · Bonjour, 40 m²');
    expect(sum(fields, { budget: 5, message: 'Oui' }).excerpt).toBe('Oui');
  });

  test('a subject that was typed', () => {
    expect(sum([['sujet', 'text']], { sujet: 'Devis' }).excerpt).toBe('Devis');
  });

  test('else the other values, but neither consent nor what names the sender', () => {
    const fields: Field[] = [
      ['name', 'text'],
      ['email', 'email'],
      ['budget', 'number'],
      ['start', 'date'],
      ['gdpr', 'consent'],
      ['campaign', 'hidden'],
    ];
    const values = {
      name: 'Ada',
      email: 'a@x.test',
      budget: 12.5,
      start: '2026-11-02',
      gdpr: true,
      campaign: 'x',
    };
    expect(sum(fields, values).excerpt).toBe('12.5 · 2026-11-02');
  });

  test('cut to 160 characters', () => {
    const { excerpt } = sum([['message', 'textarea']], { message: 'Un mot '.repeat(80) });
    expect(excerpt).toHaveLength(160);
    expect(excerpt).toMatch(/^Un mot Un .*…$/);
  });

  test('without values of fields that the form no longer has', () => {
    expect(sum([['name', 'text']], { name: 'Ada', constructor: 'x' })).toEqual({
      title: 'Ada',
      excerpt: null,
    });
  });
});
