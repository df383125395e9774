import { useIntl } from 'react-intl';
import type { Condition } from '../../../../src/forms/definition/conditions.js';
import { isObject } from '../../../../src/lib/is-object.js';
import { useText } from '../../language.js';
import { useSentence } from '../../parts/condition/sentence.js';
import type { FormDraft } from './queries.js';

/** Returns the function that puts a value of a form into words, whatever part of it it is. */
export function useValueWords(): (value: unknown, draft: FormDraft) => string {
  const t = useText();
  const sentence = useSentence();
  const { formatList } = useIntl();

  return function words(value, draft): string {
    if (value === undefined) return t('meeting.deleted');
    if (value === null || value === '') return t('meeting.empty');
    if (typeof value === 'boolean') return t(value ? 'meeting.yes' : 'meeting.no');
    if (Array.isArray(value)) {
      const listed = value.map((entry) => {
        // The order of fields is one of their names.
        const field = draft.fields.find(({ name }) => name === entry);
        return field?.label || words(entry, draft);
      });
      return listed.length > 0 ? formatList(listed, { type: 'unit' }) : t('meeting.empty');
    }
    if (!isObject(value)) return String(value);
    if ('match' in value) return sentence(value as unknown as Condition, draft.fields);
    if ('when' in value) {
      const { when, recipients } = value as { when: Condition; recipients: readonly string[] };
      return t('labelled', { label: sentence(when, draft.fields), value: recipients.join(', ') });
    }
    const { label, name, ...others } = value;
    if (label || name) return String(label || name);
    return formatList(
      Object.values(others).flatMap((text) => (typeof text === 'string' && text !== '' ? text : [])),
      { type: 'unit' },
    );
  };
}
