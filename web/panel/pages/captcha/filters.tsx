import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { SearchSelect } from '../../parts/fields/search-select.js';
import { Select } from '../../parts/fields/select.js';
import type { Days } from '../../parts/statistics/period.js';
import { PeriodPicker } from '../../parts/statistics/period-picker.js';
import styles from '../captcha.module.css';
import { websiteNameQuery, websitesQuery } from './queries.js';
import { type CaptchaSearch, PROVIDERS } from './search.js';

type Props = { search: CaptchaSearch & { team?: string }; days: Days; today: string };

/** Period, provider and website, which stand in the address. */
export function Filters({ search, days, today }: Props) {
  const t = useText();
  const { team, site, provider } = search;
  const navigate = useNavigate();
  const [text, setText] = useState<string | null>(null);
  // The websites are read once the list is opened.
  const found = useQuery({ ...websitesQuery(team, text ?? ''), enabled: text !== null });
  const { data: name } = useQuery({ ...websiteNameQuery(site!), enabled: site !== undefined });
  const narrow = (changes: Pick<CaptchaSearch, 'provider' | 'site'>) =>
    void navigate({ to: '.', search: (given) => ({ ...given, ...changes }) });
  return (
    <div className={styles.filters}>
      <PeriodPicker search={search} days={days} today={today} />
      <Select
        label={t('console.provider')}
        value={provider ?? 'all'}
        options={[
          { value: 'all', text: t('console.allProviders') },
          ...PROVIDERS.map((value) => ({ value, text: t(`step.type.${value}`) })),
        ]}
        onChange={(value) => narrow({ provider: value === 'all' ? undefined : value })}
      />
      <SearchSelect
        label={t('filter.website')}
        placeholder={t('console.allWebsites')}
        value={site ?? null}
        valueText={name}
        query={found}
        hasMore={found.data?.pageInfo.hasNextPage}
        options={(found.data?.edges ?? []).map(({ node }) => ({ value: node.id, text: node.name }))}
        onSearch={setText}
        onChange={({ value }) => narrow({ site: value })}
      />
      {site && (
        <Button variant="quiet" onPress={() => narrow({ site: undefined })}>
          {t('console.showAllWebsites')}
        </Button>
      )}
    </div>
  );
}
