import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team } from '../support/factories.js';
import { loggedIn, type PanelClient } from '../support/panel.js';
import { createForm, formInput } from '../support/panel-forms.js';

const TARGETS = ['en', 'de', 'es', 'it', 'nl', 'ar', 'he'];

let app: TestApp;
let owner: PanelClient;
let id: string;

beforeAll(async () => {
  app = await startTestApp({ env: { PLATFORM_LOCALES: ['fr', ...TARGETS].join() } });
  await provision(app.services, [team('acme')]);
  owner = await loggedIn(app.url, app.services, 'owner@acme.test');
  id = await createForm(app, 'values', formInput([{ name: 'email' }]));
});
afterAll(() => app.close());

const SAVE = `mutation ($id: ID!, $version: Int!, $input: FormInput!) {
  saveForm(id: $id, version: $version, input: $input) { version }
}`;

const PREVIEW = `query ($id: ID!, $input: FormInput, $placement: FormLinkInput) {
  previewForm(id: $id, input: $input, locale: "fr", placement: $placement)
}`;

const inEach = <Texts extends object>(texts: Texts) => TARGETS.map((locale) => ({ locale, ...texts }));

/** A form with so many recipients, none of them an address. */
const withRecipients = (count: number) =>
  formInput([], { recipients: Array.from({ length: count }, () => '') });

const refusal = (limit: number) => ({
  message: `The variables hold more than ${limit} values.`,
  extensions: { code: 'BAD_USER_INPUT' },
});

test('a form of 40 fields with ten options each is saved in eight languages', async () => {
  const fields = Array.from({ length: 40 }, (_, number) => ({
    name: `field_${number}`,
    type: 'select',
    label: `Champ ${number}`,
    isRequired: false,
    showLabel: true,
    isMultiple: false,
    placeholder: null,
    helpText: null,
    linkUrl: null,
    attributes: {},
    visibility: null,
    options: Array.from({ length: 10 }, (_, option) => ({
      value: `choice_${option}`,
      label: `Choix ${option}`,
      translations: inEach({ label: `Choice ${option}` }),
    })),
    translations: inEach({ label: `Field ${number}`, placeholder: null, helpText: null, linkUrl: null }),
  }));
  const input = formInput(fields, { translations: inEach({ submitButtonText: 'Send' }) });
  expect(await owner.ask(SAVE, { id, version: 1, input })).toEqual({ saveForm: { version: 2 } });
  const languages = await app.services.db.orm.optionTranslation.count({
    where: { option: { field: { formId: Number(id) } } },
  });
  expect(languages).toBe(40 * 10 * TARGETS.length);
});

test('more values than a form may have are refused, in several variables too', async () => {
  const { errors } = await owner.send(SAVE, { id, version: 2, input: withRecipients(12_501) });
  expect(errors).toMatchObject([refusal(12_500)]);
  const both = `query ($id: ID!, $one: FormInput!, $two: FormInput!) {
    one: previewForm(id: $id, input: $one, locale: "fr")
    two: previewForm(id: $id, input: $two, locale: "fr")
  }`;
  const half = withRecipients(6_500);
  expect((await owner.send(both, { id, one: half, two: half })).errors).toMatchObject([refusal(12_500)]);
});

test('what stands beside a form has the limit of all variables', async () => {
  const placement = { recipients: Array.from({ length: 10_000 }, () => '') };
  const { errors } = await owner.send(PREVIEW, { id, input: withRecipients(1), placement });
  expect(errors).toMatchObject([refusal(10_000)]);
  const undeclared = await owner.send(PREVIEW, { id, input: null, other: withRecipients(10_000) });
  expect(undeclared.errors).toMatchObject([refusal(10_000)]);
});
