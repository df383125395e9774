import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { SearchSelect } from '../../parts/fields/search-select.js';
import type { Days } from '../../parts/statistics/period.js';
import { PeriodPicker } from '../../parts/statistics/period-picker.js';
import own from '../statistics.module.css';
import { type ReportedWebsite, websitesQuery } from './queries.js';

const route = getRouteApi('/shell/statistics');

type Props = { teamId: string; website: ReportedWebsite | null; days: Days; today: string };

/** Period and website, which stand in the address. */
export function Filters({ teamId, website, days, today }: Props) {
  const t = useText();
  const search = route.useSearch();
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const found = useQuery(websitesQuery(teamId, text));
  const narrow = (site: string | undefined) =>
    void navigate({ to: '.', search: (given) => ({ ...given, site }) });
  return (
    <div className={own.filters}>
      <PeriodPicker search={search} days={days} today={today} />
      <SearchSelect
        label={t('filter.website')}
        placeholder={t('report.allWebsites')}
        value={website?.id ?? null}
        valueText={website?.name}
        query={found}
        hasMore={found.data?.pageInfo.hasNextPage}
        options={(found.data?.edges ?? []).map(({ node: { id, name } }) => ({ value: id, text: name }))}
        onSearch={setText}
        onChange={({ value }) => narrow(value)}
      />
      {website && (
        <Button variant="quiet" onPress={() => narrow(undefined)}>
          {t('report.showAllWebsites')}
        </Button>
      )}
    </div>
  );
}
