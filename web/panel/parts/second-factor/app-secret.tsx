import { useText } from '../../language.js';
import { QrCode } from './qr-code.js';
import styles from './second-factor.module.css';

type Props = { secret: Readonly<{ secret: string; uri: string }> };

/** The secret of an authenticator app, to be scanned or typed. */
export function AppSecret({ secret: { secret, uri } }: Props) {
  const t = useText();
  return (
    <>
      <p>{t('secondFactor.scan')}</p>
      <QrCode text={uri} label={t('secondFactor.qr')} />
      <p>
        {t('secondFactor.type')} <span className={styles.secret}>{secret.match(/.{1,4}/g)?.join(' ')}</span>
      </p>
    </>
  );
}
