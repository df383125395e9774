import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { RefObject } from 'react';
import { Input, SearchField } from 'react-aria-components';
import { useIntl } from 'react-intl';
import { useText } from '../../language.js';
import field from '../../parts/fields/field.module.css';
import { Select } from '../../parts/fields/select.js';
import { useSearchText } from '../../parts/search/search-text.js';
import { platformQuery } from '../../website-settings/queries.js';
import styles from './filters.module.css';
import { SHOWN, type WebsitesSearch } from './search.js';

const route = getRouteApi('/shell/websites');

/** Search, state and language, which stand in the address. */
export function Filters({ input }: { input: RefObject<HTMLInputElement | null> }) {
  const t = useText();
  const { formatDisplayName } = useIntl();
  const { q, language, show } = route.useSearch();
  const navigate = useNavigate();
  const { data: platform } = useQuery(platformQuery);
  const [text, setText] = useSearchText(q, (wanted, isAnother) => {
    void navigate({ to: '.', search: (given) => ({ ...given, q: wanted }), replace: isAnother });
  });

  const narrow = (changes: WebsitesSearch) =>
    void navigate({ to: '.', search: (given) => ({ ...given, ...changes }) });
  const languages = platform?.locales ?? (language ? [language] : []);
  return (
    <div className={styles.filters}>
      <SearchField
        aria-label={t('websites.search')}
        className={styles.search!}
        value={text}
        onChange={setText}
        maxLength={200}
      >
        <Input
          ref={input}
          className={field.input!}
          placeholder={t('websites.search')}
          aria-keyshortcuts="/"
        />
      </SearchField>
      <Select
        label={t('websites.show')}
        value={show ?? 'all'}
        onChange={(value) => narrow({ show: value === 'all' ? undefined : value })}
        options={(['all', ...SHOWN] as const).map((value) => ({ value, text: t(`websites.show.${value}`) }))}
      />
      <Select
        label={t('website.language')}
        value={language ?? 'all'}
        onChange={(value) => narrow({ language: value === 'all' ? undefined : value })}
        options={[
          { value: 'all', text: t('websites.allLanguages') },
          ...languages.map((value) => ({
            value,
            text: formatDisplayName(value, { type: 'language' }) ?? value,
          })),
        ]}
      />
    </div>
  );
}
