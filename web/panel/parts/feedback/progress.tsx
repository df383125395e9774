import { useIntl } from 'react-intl';
import { useText } from '../../language.js';
import styles from './progress.module.css';

type ProgressCount = Readonly<{
  done: number;
  /** Null while it is not known. */
  total: number | null;
}>;

/** How far something is that takes a while: a bar and its figures. */
export function Progress({ done, total, label }: ProgressCount & { label: string }) {
  const t = useText();
  const { formatNumber } = useIntl();
  if (total === null) {
    return (
      <span className={styles.progress}>
        <progress aria-label={label} />
        {formatNumber(done)}
      </span>
    );
  }
  return (
    <span className={styles.progress}>
      <progress value={done} max={total} aria-label={label} />
      {t('progress.text', { done: formatNumber(done), total: formatNumber(total) })}
    </span>
  );
}
