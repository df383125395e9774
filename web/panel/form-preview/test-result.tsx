import type { Condition } from '../../../src/forms/definition/conditions.js';
import { useText } from '../language.js';
import type { Driver } from '../parts/condition/rules.js';
import { useSentence } from '../parts/condition/sentence.js';
import styles from './form-preview.module.css';
import type { TestSubmission } from './queries.js';

type Props = { result: TestSubmission; fields: readonly Driver[]; hasWebsite: boolean };

/** What a test submission that was accepted would cause: who would be e-mailed, by which rule, and what. */
export function TestResult({ result, fields, hasWebsite }: Props) {
  const t = useText();
  const sentence = useSentence();
  const { recipients, email } = result;
  return (
    <div className={styles.result}>
      {recipients.length > 0 ? (
        <>
          <p>{t('preview.recipients')}</p>
          <ul className={styles.recipients}>
            {recipients.map(({ address, rule }) => (
              <li key={address}>
                {address}
                {rule && (
                  <span className={styles.rule}>
                    {t(`preview.rule.${rule.scope}`, {
                      number: rule.index + 1,
                      condition: sentence(rule.when as Condition, fields),
                    })}
                  </span>
                )}
              </li>
            ))}
          </ul>
        </>
      ) : (
        <p>{t(hasWebsite ? 'preview.noRecipient' : 'preview.noWebsite')}</p>
      )}
      {email && (
        <details>
          <summary>{t('preview.email')}</summary>
          <p className={styles.subject} dir="auto">
            {email.subject}
          </p>
          <pre className={styles.text} dir="auto">
            {email.text}
          </pre>
        </details>
      )}
    </div>
  );
}
