import { useText } from '../../language.js';
import { Button } from '../buttons/button.js';
import { AlertIcon } from '../icons/alert-icon.js';
import styles from './error-box.module.css';
import { describeError } from './error-words.js';

type Props = {
  error: Error;
  /** Tries again what has failed; without it there is nothing to be tried. */
  onRetry?(): void;
};

/** Says in words what has failed, with the code and the request id to tell the agency, and *Try again*. */
export function ErrorBox({ error, onRetry }: Props) {
  const t = useText();
  const { text, code, requestId } = describeError(error, t);
  return (
    <div role="alert" className={styles.box}>
      <AlertIcon />
      <div className={styles.words}>
        <p>{text}</p>
        <p className={styles.facts}>
          <span>{t('error.code', { code })}</span>
          {requestId && <span>{t('error.request', { id: requestId })}</span>}
        </p>
      </div>
      {onRetry && <Button onPress={onRetry}>{t('action.retry')}</Button>}
    </div>
  );
}
