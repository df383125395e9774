import { useIsFetching } from '@tanstack/react-query';
import { useText } from './language.js';
import styles from './retry-notice.module.css';

/** Says that the gateway is away, as long as a query waits for its next attempt. */
export function RetryNotice() {
  const t = useText();
  const waiting = useIsFetching({ predicate: ({ state }) => state.fetchFailureCount > 0 });
  return (
    <div role="status" className={styles.place}>
      {waiting > 0 && <div className={styles.notice}>{t('retry.text')}</div>}
    </div>
  );
}
