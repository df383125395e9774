import { useState } from 'react';
import { useText } from '../../language.js';
import { Button } from '../buttons/button.js';
import { QrCode } from './qr-code.js';
import styles from './second-factor.module.css';

type Props = { secret: Readonly<{ secret: string; uri: string }> };

/** The secret of an authenticator app, to be scanned, typed, or opened in the app on the same device. */
export function AppSecret({ secret: { secret, uri } }: Props) {
  const t = useText();
  const [copied, setCopied] = useState<'copied' | 'notCopied' | null>(null);
  // Browsers have no clipboard over http, but on this machine.
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(secret);
      setCopied('copied');
    } catch {
      setCopied('notCopied');
    }
  };
  return (
    <>
      <p>{t('secondFactor.scan')}</p>
      <div className={styles.scan}>
        <QrCode text={uri} label={t('secondFactor.qr')} />
        <a href={uri}>{t('secondFactor.open')}</a>
      </div>
      <p>
        {t('secondFactor.type')} <span className={styles.secret}>{secret.match(/.{1,4}/g)?.join(' ')}</span>
      </p>
      <div className={styles.scan}>
        <Button onPress={() => void copy()}>{t('secondFactor.copy')}</Button>
        {/* The login page has no toasts. */}
        <span role="status">{copied && t(`code.${copied}`)}</span>
      </div>
    </>
  );
}
