import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useText } from '../../../language.js';
import { Loaded } from '../../../parts/loaded.js';
import { Select } from '../../../parts/select.js';
import { SOURCES, type Source } from '../search.js';
import { Breakdown } from './breakdown.js';
import type { Days } from './period.js';
import { sourcesQuery } from './queries.js';

type Props = { websiteId: string; days: Days; by: Source };

/** Where visitors and leads came from, by campaign or another attribute. */
export function Sources({ websiteId, days, by }: Props) {
  const t = useText();
  const navigate = useNavigate();
  const sources = useQuery(sourcesQuery(websiteId, days, by));
  return (
    <Loaded query={sources}>
      {(found) => (
        <Breakdown
          title={t('stats.sources')}
          headings={[t(`stats.by.${by}`), t('stats.pageViews'), t('stats.leads')]}
          rows={found.map(({ value, visits, submissions }) => ({
            id: value ?? '',
            name: value ?? t(by === 'referrer' ? 'stats.direct' : 'stats.without'),
            counts: [visits, submissions],
          }))}
          none={t('stats.noVisits')}
        >
          <Select
            label={t('stats.by')}
            value={by}
            options={SOURCES.map((value) => ({ value, text: t(`stats.by.${value}`) }))}
            onChange={(value) =>
              void navigate({
                to: '.',
                search: (search) => ({ ...search, by: value === 'campaign' ? undefined : value }),
                replace: true,
              })
            }
          />
        </Breakdown>
      )}
    </Loaded>
  );
}
