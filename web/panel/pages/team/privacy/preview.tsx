import { useIntl } from 'react-intl';
import { useText } from '../../../language.js';
import { ErrorBox } from '../../../parts/feedback/error-box.js';
import styles from '../privacy.module.css';
import type { RetentionPreview } from './queries.js';

type Props = {
  /** Null while the settings are at fault or not counted. */
  preview: RetentionPreview | null;
  error: Error | null;
  onRetry(): void;
};

/** What the settings of a form delete: with the next run, and month by month. */
export function Preview({ preview, error, onRetry }: Props) {
  const t = useText();
  const { formatDate } = useIntl();
  if (error) return <ErrorBox error={error} onRetry={onRetry} />;
  if (!preview) return null;
  const { due, held, isExact, months } = preview;
  const nameOf = (month: string) =>
    formatDate(`${month}-15T12:00:00Z`, { month: 'long', year: 'numeric', timeZone: 'UTC' });
  return (
    <div className={styles.preview} role="status">
      <p className={due > 0 || !isExact ? styles.due : undefined}>
        {t(isExact ? 'retention.due' : 'retention.dueMany', { count: due })}
      </p>
      {held > 0 && <p>{t('retention.held', { count: held })}</p>}
      {months.length > 0 && (
        <>
          <p>{t('retention.ahead')}</p>
          <ul className={styles.months}>
            {months.map(({ month, submissions }) => (
              <li key={month}>{t('retention.month', { month: nameOf(month), count: submissions })}</li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
