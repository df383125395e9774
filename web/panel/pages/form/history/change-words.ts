import { useIntl } from 'react-intl';
import type { Condition } from '../../../../../src/forms/definition/conditions.js';
import { useText } from '../../../language.js';
import { useSentence } from '../../../parts/condition/sentence.js';
import type { TextId } from '../../../texts/text-id.js';
import type { Change, KeptField, ListedVersion } from './queries.js';

/** A change as far as it is named; its values come with a comparison alone. */
type NamedChange = ListedVersion['changes'][number];

/** What became of a thing. */
type Verb = 'added' | 'removed' | 'moved' | 'changed';

const SETTINGS: Readonly<Record<string, TextId>> = {
  name: 'change.setting.name',
  active: 'change.setting.active',
  sourceLocale: 'change.setting.sourceLocale',
  recipients: 'change.setting.recipients',
  recipientRules: 'change.setting.recipientRules',
  submitButtonText: 'change.setting.submitButtonText',
  confirmationMessage: 'change.setting.confirmationMessage',
  privacyNoticeText: 'change.setting.privacyNoticeText',
  privacyNoticeUrl: 'change.setting.privacyNoticeUrl',
};

const OF_FIELD: Readonly<Record<string, TextId>> = {
  type: 'change.field.type',
  label: 'change.field.label',
  placeholder: 'change.field.placeholder',
  helpText: 'change.field.helpText',
  linkUrl: 'change.field.linkUrl',
  isRequired: 'change.field.isRequired',
  showLabel: 'change.field.showLabel',
  isMultiple: 'change.field.isMultiple',
};

/** Tells what became of the thing that a change is about. */
export const verbOf = ({ kind }: Pick<Change, 'kind'>): Verb => kind.split('_').at(-1) as Verb;

/** Returns the functions that name what a change is about: within its field, and on its own. */
export function useChangeNames() {
  const t = useText();
  const { formatDisplayName } = useIntl();
  const quote = (text: string | null) => t('condition.quoted', { text: text ?? '' });
  const languageOf = (locale: string) => formatDisplayName(locale, { type: 'language' }) ?? locale;

  function named(change: NamedChange): string {
    const { kind, field, option, optionLabel, key } = change;
    if (kind === 'language_added' || kind === 'language_removed') {
      return t('change.language', { language: languageOf(change.locale ?? '') });
    }
    if (option !== null) return t('change.option', { option: quote(optionLabel || option) });
    if (kind === 'attribute_changed') return t('change.attribute', { name: key });
    if (kind === 'condition_changed') return t('change.condition');
    const id = (field === null ? SETTINGS : OF_FIELD)[key ?? ''];
    return id ? t(id) : (key ?? '');
  }

  /** Names what a change is about within its field, as in `Label (English)`. */
  function nameInField(change: NamedChange): string {
    const what = named(change);
    if (change.kind !== 'translation_changed') return what;
    return t('change.inLanguage', { what, language: languageOf(change.locale ?? '') });
  }

  /** Names what a change is about, as in `Label of “Topic” (English)`. */
  function name(change: NamedChange): string {
    const { kind, field, fieldLabel, locale } = change;
    if (field === null) return nameInField(change);
    const of = quote(fieldLabel || field);
    if (kind === 'field_added' || kind === 'field_removed' || kind === 'field_moved') return of;
    const what = t('change.of', { what: named(change), field: of });
    return kind === 'translation_changed'
      ? t('change.inLanguage', { what, language: languageOf(locale ?? '') })
      : what;
  }

  return { name, nameInField };
}

/** Returns the function that sums up changes in a line, as in `Added: “Budget” · Changed: Label of “Topic”`. */
export function useSummary(): (changes: readonly NamedChange[], count: number) => string {
  const t = useText();
  const { formatList } = useIntl();
  const { name } = useChangeNames();
  return (changes, count) => {
    const groups = new Map<Verb, string[]>();
    for (const change of changes) {
      groups.set(verbOf(change), [...(groups.get(verbOf(change)) ?? []), name(change)]);
    }
    const lines = [...groups].map(([verb, names]) =>
      t('change.list', { verb: t(`change.verb.${verb}`), list: formatList(names, { type: 'unit' }) }),
    );
    const more = count - changes.length;
    return [...lines, ...(more > 0 ? [t('change.more', { count: more })] : [])].join(' · ');
  };
}

type Rule = Readonly<{ when: Condition; recipients: readonly string[] }>;

/** Returns the function that puts what something was before or after a change into words, a line for each. */
export function useValueWords(): (
  change: Change,
  side: 'before' | 'after',
  fields: readonly KeptField[],
) => readonly string[] {
  const t = useText();
  const { formatDisplayName } = useIntl();
  const sentence = useSentence();
  return (change, side, fields) => {
    const { kind, key } = change;
    const value = change[side];
    if (kind === 'condition_changed') {
      if (value === null) return [t('change.always')];
      return [t('change.when', { condition: sentence(value as Condition, fields) })];
    }
    if (value === null || (Array.isArray(value) && value.length === 0)) return [t('change.nothing')];
    if (value === '') return [t('change.empty')];
    if (typeof value === 'boolean') return [t(value ? 'change.yes' : 'change.no')];
    if (kind.endsWith('_moved')) return [t('change.place', { number: value as number })];
    if (kind.startsWith('option_') && typeof value === 'object') return [(value as { label: string }).label];
    if (key === 'type') return [t(`form.type.${value as KeptField['type']}`)];
    if (key === 'sourceLocale')
      return [formatDisplayName(value as string, { type: 'language' }) ?? String(value)];
    if (key === 'recipientRules') {
      return (value as Rule[]).map(({ when, recipients }) =>
        t('change.rule', { condition: sentence(when, fields), recipients: recipients.join(', ') }),
      );
    }
    return Array.isArray(value) ? value.map(String) : [String(value)];
  };
}
