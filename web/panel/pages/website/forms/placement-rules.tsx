import { useQuery } from '@tanstack/react-query';
import type { RecipientRule } from '../../../../../src/forms/recipients/recipient-rules.js';
import { formFieldsQuery } from '../../../form-fields.js';
import { GatewayError } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { Loaded } from '../../../parts/feedback/loaded.js';
import { useFaultWords } from '../../../parts/form/fault-words.js';
import { RecipientRules } from '../../../parts/recipients/recipient-rules.js';
import styles from './placement-rules.module.css';

type Props = Readonly<{
  formId: string;
  rules: readonly RecipientRule[];
  /** Why they were not saved. */
  error: Error | null;
  onChange(rules: readonly RecipientRule[]): void;
}>;

const PATH = /^input\.recipientRules\.?/;

/** The recipients by answer of a form on one website, which replace those of the form. */
export function PlacementRules({ formId, rules, error, onChange }: Props) {
  const t = useText();
  const faultWords = useFaultWords();
  const fields = useQuery(formFieldsQuery(formId));
  const refused = error instanceof GatewayError ? Object.entries(error.fields) : [];
  const faults = refused.flatMap(([path, messages]) =>
    PATH.test(path) ? [[path.replace(PATH, ''), messages] as const] : [],
  );
  return (
    <fieldset className={styles.rules}>
      <legend>{t('rules.title')}</legend>
      <Loaded query={fields}>
        {(found) => (
          <RecipientRules
            note={t(rules.length > 0 ? 'rules.hint' : 'rules.ofForm')}
            rules={rules}
            fields={found}
            faults={faultWords(Object.fromEntries(faults))}
            isReadOnly={false}
            onChange={onChange}
          />
        )}
      </Loaded>
    </fieldset>
  );
}
