import { useText } from '../../../language.js';
import { Code } from '../../../parts/layout/code.js';
import styles from './hints.module.css';

const PLATFORMS = ['html', 'wordpress', 'webflow', 'shopify', 'react'] as const;

/** Where the code goes on the usual platforms. */
export function Hints({ host, react }: { host: string; react: string }) {
  const t = useText();
  return (
    <ul>
      {PLATFORMS.map((platform) => (
        <li key={platform}>
          <details className={styles.hint}>
            <summary>{t(`install.hint.${platform}`)}</summary>
            <p>{t(`install.hintText.${platform}`, { host })}</p>
            {platform === 'react' && <Code text={react} copyLabel={t('install.copyReact')} />}
          </details>
        </li>
      ))}
    </ul>
  );
}
