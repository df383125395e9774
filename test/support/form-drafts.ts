import fc from 'fast-check';
import { possibleDrivers } from '../../src/forms/definition/condition-checks.js';
import { FIELD_TYPES } from '../../src/forms/definition/form-definition.js';
import type { RecipientRule } from '../../src/forms/recipients/recipient-rules.js';
import { isSwitch } from '../../src/forms/validation/sent-value.js';
import {
  attributesOf,
  isSeen,
  takesOptions,
  takesSeveral,
} from '../../web/panel/pages/form/fields/attributes.js';
import { proposeName, unique } from '../../web/panel/pages/form/fields/names.js';
import {
  addField,
  changeField,
  changeOptions,
  changeType,
  duplicateField,
  moveFields,
  newField,
  newOption,
  removeField,
  renameField,
  renameOption,
  setAttribute,
} from '../../web/panel/pages/form/fields/recipes.js';
import type { FieldDraft, FormDraft } from '../../web/panel/pages/form/form-draft.js';
import {
  textsOf,
  withLanguage,
  withoutLanguage,
  withTranslation,
} from '../../web/panel/pages/form/translations/draft-texts.js';
import { newRule, operatorsFor, withOperator } from '../../web/panel/parts/condition/rules.js';
import type { Sides } from '../../web/panel/parts/merge/merge.js';

/** A form as the panel begins one. */
export const EMPTY_FORM: FormDraft = {
  name: 'Form',
  active: true,
  sourceLocale: 'fr',
  submitButtonText: 'Envoyer',
  confirmationMessage: 'Merci.',
  privacyNoticeText: null,
  privacyNoticeUrl: null,
  recipients: [],
  recipientRules: [],
  fields: [],
  translations: [],
};

const LABELS = ['Nom', 'E-mail', 'Votre sujet', '42 m²', 'Été « chaud »', '', 'constructor', 'page_url'];
const VALUES = {
  minlength: '2',
  maxlength: '4',
  min: '0',
  max: '50',
  step: '5',
  rows: '3',
  pattern: '[a-z]+',
};
const OPTIONS = ['Option 1', 'Option 2'].map((text) => newOption(text, text));

const KINDS = [
  'add',
  'add',
  'add',
  'duplicate',
  'remove',
  'move',
  'rename',
  'type',
  'required',
  'several',
  'attribute',
  'addOption',
  'renameOption',
  'removeOption',
  'condition',
  'condition',
  'rule',
  'texts',
  'language',
  'translate',
  'translate',
  'recipients',
  'recipientRule',
] as const;

/** What a user does in the panel; the numbers choose among what there is. */
type Action = Readonly<{ kind: (typeof KINDS)[number]; at: number; to: number; label: string }>;

/** Languages that a form may be translated into. */
const LANGUAGES = ['en', 'de', 'es'];

const of = <Item>(items: readonly Item[], index: number): Item | undefined =>
  items.length > 0 ? items[index % items.length] : undefined;

/** The rule that the condition editor would add, with one of the operators that it offers. */
function ruleFor(fields: readonly FieldDraft[], name: string, at: number, to: number) {
  const driver = of(possibleDrivers(fields, name), at);
  const operator = driver && of(operatorsFor(driver), to);
  return driver && operator ? withOperator(newRule(driver), operator, driver) : null;
}

/** Writes a translation, an address where one is needed; without a label it takes the translation away. */
function translate(draft: FormDraft, { at, to, label }: Action): FormDraft {
  const locale = of(draft.translations, at)?.locale;
  const text = of(textsOf(draft), to);
  if (locale === undefined || !text) return draft;
  const isAddress = /Url$/.test(text.place.text);
  const words = label && `${locale} ${label}`;
  return withTranslation(draft, text.place, locale, isAddress ? `https://x.test/${locale}` : words);
}

/** A rule of recipients as the editor makes it, with a value where it asks for one. */
function recipientRule(fields: readonly FieldDraft[], at: number, to: number): RecipientRule | null {
  const driver = of(fields, at);
  const operator = driver && of(operatorsFor(driver), to);
  if (!operator) return null;
  const { value, ...rule } = withOperator(newRule(driver), operator, driver);
  const compared = value === undefined ? rule : { ...rule, value: value === '' ? 'abc' : value };
  return { when: { match: 'all', rules: [compared] }, recipients: [`to-${to % 5}@acme.test`] };
}

/** Carries an action out as the panel does; one that is not offered changes nothing. */
function act(draft: FormDraft, { kind, at, to, label }: Action): FormDraft {
  const names = draft.fields.map(({ name }) => name);
  if (kind === 'add') {
    const type = of(FIELD_TYPES, at)!;
    const field = newField(type, { name: proposeName(label, names), label, options: OPTIONS });
    return addField(field, of(names, to))(draft);
  }
  if (kind === 'language') return withLanguage(draft, of(LANGUAGES, at)!);
  if (kind === 'translate') return translate(draft, { kind, at, to, label });
  if (kind === 'recipients') return { ...draft, recipients: to % 2 ? ['form@acme.test'] : [] };
  const field = of(draft.fields, at);
  if (!field) return draft;
  const { name, type } = field;
  const set = (changes: Partial<FieldDraft>) => changeField(name, (now) => ({ ...now, ...changes }))(draft);
  const option = of(field.options, to);
  const values = field.options.map(({ value }) => value);
  const optionName = unique(label || 'x', (text) => values.includes(text));
  switch (kind) {
    case 'duplicate':
      return duplicateField(name, proposeName(name, names))(draft);
    case 'remove':
      return removeField(name)(draft);
    case 'move':
      return moveFields(new Set([name]), { key: of(names, to)!, position: 'after' })(draft);
    case 'rename':
      return renameField(name, proposeName(label, names))(draft);
    case 'type':
      return changeType(name, of(FIELD_TYPES, to)!, OPTIONS)(draft);
    case 'required':
      return isSeen(type) ? set({ isRequired: !field.isRequired }) : draft;
    case 'several':
      return takesSeveral(field) ? set({ isMultiple: !field.isMultiple }) : draft;
    case 'attribute': {
      const attribute = of(attributesOf(type), to);
      const isClock = type === 'date' || type === 'time';
      if (!attribute || attribute === 'autocomplete' || isClock) return draft;
      return setAttribute(name, attribute, VALUES[attribute])(draft);
    }
    case 'addOption':
      if (!takesOptions(type)) return draft;
      return changeOptions(name, (options) => [...options, newOption(optionName, label)])(draft);
    case 'renameOption':
      return option ? renameOption(name, option.value, optionName)(draft) : draft;
    case 'removeOption':
      return changeOptions(name, (options) => options.filter((one) => one !== option))(draft);
    case 'texts':
      if (!isSeen(type)) return draft;
      return set({ helpText: label || null, linkUrl: to % 2 ? 'https://x.test/fr' : null });
    case 'recipientRule': {
      const rule = recipientRule(draft.fields, at, to);
      return rule ? { ...draft, recipientRules: [...draft.recipientRules, rule] } : draft;
    }
    case 'condition': {
      const rule = ruleFor(draft.fields, name, to, at);
      return rule ? set({ visibility: { match: 'any', rules: [rule] } }) : draft;
    }
    case 'rule': {
      const rule = ruleFor(draft.fields, name, to, at);
      if (!rule || !field.visibility) return draft;
      const group = { match: 'all' as const, rules: [rule] };
      return set({ visibility: { ...field.visibility, rules: [...field.visibility.rules, rule, group] } });
    }
  }
}

const action = fc.record({
  kind: fc.constantFrom(...KINDS),
  at: fc.nat(1000),
  to: fc.nat(1000),
  label: fc.constantFrom(...LABELS),
});

/** A form as a user may have built it in the panel. */
export const builtForm = (actions: number): fc.Arbitrary<FormDraft> =>
  fc.array(action, { minLength: 3, maxLength: actions }).map((done) => done.reduce(act, EMPTY_FORM));

/** A form, and what two users have made of it in the panel, each by some actions and maybe without a language. */
export const twiceEdited = (actions: number): fc.Arbitrary<Sides<FormDraft>> => {
  const edit = fc.record({
    done: fc.array(action, { maxLength: actions }),
    removed: fc.option(fc.constantFrom(...LANGUAGES), { nil: null }),
  });
  return fc.tuple(builtForm(actions), edit, edit).map(([base, ...edits]) => {
    const [mine, theirs] = edits.map(({ done, removed }) => {
      const draft = done.reduce(act, base);
      return removed ? withoutLanguage(draft, removed) : draft;
    });
    return { base, mine: mine!, theirs: theirs! };
  });
};

const TEXTS: Partial<Record<FieldDraft['type'], readonly string[]>> = {
  email: ['a@x.test', 'nope'],
  url: ['https://x.test', 'nope'],
  number: ['5', '-3', '100', '7'],
  date: ['2026-05-01'],
  time: ['12:30'],
};

/** What a visitor may enter into a field, in a way that every control holds as it is. */
function entryFor(field: FieldDraft): fc.Arbitrary<unknown> {
  if (isSwitch(field)) return fc.constantFrom('', '1');
  const offered = field.options.map(({ value }) => value);
  const texts = offered.length > 0 ? offered : (TEXTS[field.type] ?? ['abc', 'Zoé', '12345', 'x']);
  const one = fc.constantFrom('', ...texts);
  return field.isMultiple ? fc.subarray([...texts], { maxLength: Math.min(2, texts.length) }) : one;
}

/** What a visitor may enter into a form, by the names of its fields. */
export const entriesFor = (fields: readonly FieldDraft[]): fc.Arbitrary<Record<string, unknown>> =>
  fc
    .tuple(...fields.map((field) => entryFor(field).map((entry) => [field.name, entry] as const)))
    .map((entries) => Object.fromEntries(entries));

/** The settings of a form on a website, as the panel sends them. */
export type PlacementSettings = Readonly<{
  cssSelector: string | null;
  htmlWrapper: string | null;
  confirmationMessage: string | null;
  recipients: string[];
  recipientRules: RecipientRule[];
  appearance: Record<string, string>;
}>;

/** How a form may stand on a website, as its owner may have set it in the panel. */
export const placementOf = ({ fields }: FormDraft): fc.Arbitrary<PlacementSettings> =>
  fc.record({
    cssSelector: fc.constantFrom(null, '#here'),
    htmlWrapper: fc.constantFrom(null, '<section class="around" title="Été « chaud »"></section>'),
    confirmationMessage: fc.constantFrom(null, 'À bientôt.'),
    recipients: fc.constantFrom<string[][]>([], ['site@acme.test', 'bureau@acme.test']),
    recipientRules: fc
      .array(fc.tuple(fc.nat(1000), fc.nat(1000)), { maxLength: 2 })
      .map((chosen) => chosen.flatMap(([at, to]) => recipientRule(fields, at, to) ?? [])),
    appearance: fc.constantFrom<Record<string, string>[]>(
      {},
      { '--fg-accent': 'rebeccapurple', '--fg-width': 'min(100%, 40rem)' },
    ),
  });
