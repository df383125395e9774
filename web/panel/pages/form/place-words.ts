import { useIntl } from 'react-intl';
import { useText } from '../../language.js';
import { ORDER } from '../../parts/merge/merge.js';
import type { TextId } from '../../texts/text-id.js';
import type { FormDraft } from './queries.js';

/** What the parts of a form are called. */
const PARTS: Readonly<Record<string, TextId>> = {
  [ORDER]: 'form.part.order',
  active: 'form.part.active',
  attributes: 'form.attributes.title',
  confirmationMessage: 'form.texts.confirmationMessage',
  fields: 'form.tab.fields',
  helpText: 'form.field.helpText',
  isMultiple: 'form.field.isMultiple',
  isRequired: 'form.field.isRequired',
  label: 'form.field.label',
  linkUrl: 'form.field.linkUrl',
  name: 'form.field.name',
  options: 'form.options.title',
  placeholder: 'form.field.placeholder',
  privacyNoticeText: 'form.texts.privacyNoticeText',
  privacyNoticeUrl: 'form.texts.privacyNoticeUrl',
  recipientRules: 'form.part.recipientRules',
  recipients: 'form.recipients',
  showLabel: 'form.field.showLabel',
  sourceLocale: 'form.part.sourceLocale',
  submitButtonText: 'form.texts.submitButtonText',
  translations: 'form.tab.translations',
  type: 'form.field.type',
  value: 'form.options.value',
  visibility: 'condition.title',
};

/** Returns the function that says where something stands in a form, from its steps with the entries of lists named. */
export function usePlaceWords(draft: FormDraft): (steps: readonly string[]) => string {
  const t = useText();
  const { formatDisplayName } = useIntl();
  const words = (step: string, before: string | undefined): string | null => {
    // An entry of a list stands for itself.
    if (before === 'fields' && step !== ORDER) {
      return t('condition.quoted', { text: draft.fields.find(({ name }) => name === step)?.label || step });
    }
    if (before === 'options' && step !== ORDER) return t('condition.quoted', { text: step });
    if (before === 'translations') return formatDisplayName(step, { type: 'language' }) ?? step;
    if (before === 'attributes') return step;
    const part = Object.hasOwn(PARTS, step) ? PARTS[step] : undefined;
    return part ? t(part) : null;
  };
  return (steps) => {
    const [top] = steps;
    const shown = steps.length > 1 && top === 'fields' ? steps.slice(1) : steps;
    const offset = steps.length - shown.length;
    return shown.flatMap((step, index) => words(step, steps[index + offset - 1]) ?? []).join(' · ');
  };
}
