import { useText } from '../../language.js';
import styles from './field.module.css';

/** Below the options of a choice: says that there are more than were read, which a search finds. */
export function MoreChoices() {
  const t = useText();
  return <p className={styles.remark}>{t('choice.more')}</p>;
}
