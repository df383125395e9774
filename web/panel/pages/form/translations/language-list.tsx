import { Link } from '@tanstack/react-router';
import { useText } from '../../../language.js';
import styles from './language-list.module.css';
import { useLanguageName } from './languages.js';

type Props = {
  /** How many texts each language lacks. */
  missing: ReadonlyMap<string, number>;
  current: string;
};

/** The languages of the form with what each lacks; one of them is translated into. */
export function LanguageList({ missing, current }: Props) {
  const t = useText();
  const nameOf = useLanguageName();
  return (
    <nav aria-label={t('form.languages')}>
      <ul className={styles.list}>
        {[...missing].map(([locale, count]) => (
          <li key={locale}>
            <Link
              to="."
              search={(given) => ({ ...given, language: locale })}
              replace
              resetScroll={false}
              className={styles.language}
              aria-current={locale === current ? 'page' : undefined}
            >
              <span>{nameOf(locale)}</span>
              <span className={styles.count} data-missing={count > 0 || undefined}>
                {t('translations.missingCount', { count })}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
