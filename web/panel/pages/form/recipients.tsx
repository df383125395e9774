import { useText } from '../../language.js';
import { useFaultWords } from '../../parts/form/fault-words.js';
import { Section } from '../../parts/layout/page.js';
import { AddressesField } from '../../parts/recipients/addresses-field.js';
import { RecipientRules } from '../../parts/recipients/recipient-rules.js';
import { useMayManage } from '../../session.js';
import { faultsBelow } from './faults.js';
import styles from './recipients.module.css';
import { FormSpamFilter } from './spam-filter.js';
import type { TabProps } from './use-draft.js';

/**
 * Where the e-mails of the form go: by the answers, else to its recipients, unless a website has its own; and which of
 * them do not go, being spam.
 */
export function Recipients({ form, draft, change, faults }: TabProps) {
  const t = useText();
  const isReadOnly = !useMayManage(form.teamId);
  const { recipients, recipientRules, fields } = draft;
  const faultWords = useFaultWords();
  const words = (path: string) => faultWords(faultsBelow(faults, path));
  return (
    <>
      <Section title={t('form.recipients')}>
        {recipients.length === 0 && <p>{t('form.recipients.website')}</p>}
        {isReadOnly ? (
          recipients.map((address) => <p key={address}>{address}</p>)
        ) : (
          <div className={styles.narrow}>
            <AddressesField
              label={t('form.recipients.default')}
              addresses={recipients}
              faults={words('recipients')}
              onChange={(addresses) => change((before) => ({ ...before, recipients: addresses }))}
            />
          </div>
        )}
      </Section>
      <Section title={t('rules.title')}>
        <RecipientRules
          note={t('form.recipients.rules')}
          rules={recipientRules}
          fields={fields}
          faults={words('recipientRules')}
          isReadOnly={isReadOnly}
          onChange={(rules) => change((before) => ({ ...before, recipientRules: rules }))}
        />
      </Section>
      <FormSpamFilter id={form.id} teamId={form.teamId} />
    </>
  );
}
