import { useQuery } from '@tanstack/react-query';
import { useText } from '../../../language.js';
import { Loaded } from '../../../parts/feedback/loaded.js';
import { Breakdown } from '../../../parts/statistics/breakdown.js';
import { Course } from '../../../parts/statistics/course.js';
import type { Days } from '../../../parts/statistics/period.js';
import { SourceSelect } from '../../../parts/statistics/source-select.js';
import type { Source } from '../../../parts/statistics/sources.js';
import { firstOf } from './first-of.js';
import { sourcesQuery } from './queries.js';

type Props = { websiteId: string; days: Days; by: Source };

/** Where visitors and leads came from, by campaign or another attribute. */
export function Sources({ websiteId, days, by }: Props) {
  const t = useText();
  const sources = useQuery(sourcesQuery(websiteId, days, by));
  return (
    <Loaded query={sources}>
      {(found) => (
        <Breakdown
          title={t('stats.sources')}
          headings={[t(`stats.by.${by}`), t('stats.overTime'), t('stats.pageViews'), t('stats.leads')]}
          rows={found.items.map(({ value, pageViews, pageViewsPerStep, submissions }) => ({
            id: value ?? '',
            name: value ?? t(by === 'referrer' ? 'stats.direct' : 'stats.without'),
            course: (
              <Course
                what={t('stats.pageViews')}
                counts={pageViewsPerStep ?? []}
                steps={found}
                to={days.to}
              />
            ),
            counts: [pageViews ?? 0, submissions ?? 0],
          }))}
          note={firstOf(found, t)}
          none={t('stats.noVisits')}
        >
          <SourceSelect value={by} />
        </Breakdown>
      )}
    </Loaded>
  );
}
