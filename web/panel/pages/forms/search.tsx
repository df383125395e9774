import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Input, SearchField } from 'react-aria-components';
import { useText } from '../../language.js';
import field from '../../parts/fields/field.module.css';
import { useListKeys } from '../../parts/keyboard/list-keys.js';
import { useSearchText } from '../../parts/search/search-text.js';
import styles from '../forms.module.css';

const route = getRouteApi('/shell/forms');

/** The search by name or slug, which stands in the address. */
export function Search() {
  const t = useText();
  const { q } = route.useSearch();
  const navigate = useNavigate();
  const input = useListKeys(t('forms.search'));
  const [text, setText] = useSearchText(q, (wanted, isAnother) => {
    void navigate({ to: '.', search: (given) => ({ ...given, q: wanted }), replace: isAnother });
  });

  return (
    <SearchField
      aria-label={t('forms.search')}
      className={styles.search!}
      value={text}
      onChange={setText}
      maxLength={200}
    >
      <Input ref={input} className={field.input!} placeholder={t('forms.search')} aria-keyshortcuts="/" />
    </SearchField>
  );
}
