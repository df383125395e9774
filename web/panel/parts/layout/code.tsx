import { useText } from '../../language.js';
import { Button } from '../buttons/button.js';
import { say } from '../overlays/toasts.js';
import styles from './code.module.css';

type Props = {
  text: string;
  /** Says what is copied, for screen readers, which announce the button alone. */
  copyLabel: string;
};

/** Text for a machine, to be copied. */
export function Code({ text, copyLabel }: Props) {
  const t = useText();
  // Browsers have no clipboard over http, but on this machine.
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      say(t('code.copied'));
    } catch {
      say(t('code.notCopied'));
    }
  };
  return (
    <div className={styles.block}>
      <pre className={styles.code} dir="ltr" translate="no">
        <code>{text}</code>
      </pre>
      <Button onPress={() => void copy()} aria-label={copyLabel}>
        {t('code.copy')}
      </Button>
    </div>
  );
}
