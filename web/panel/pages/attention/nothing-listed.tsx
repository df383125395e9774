import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useText } from '../../language.js';
import { EmptyState } from '../../parts/feedback/empty-state.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { useManagesAny } from '../../session.js';
import { hasWebsitesQuery } from './queries.js';

/** Says that all is well, unless the page says why not, or that there is no website of which that could be said. */
export function NothingListed({ team, isWell }: { team: string | undefined; isWell: boolean }) {
  const t = useText();
  const mayManage = useManagesAny();
  return (
    <Loaded query={useQuery(hasWebsitesQuery(team))}>
      {(hasWebsites) =>
        hasWebsites ? (
          isWell && (
            <EmptyState title={t('attention.none')}>
              <p>{t('attention.noneText')}</p>
            </EmptyState>
          )
        ) : (
          <EmptyState title={t('attention.noWebsites')}>
            {mayManage ? (
              <Link to="/websites/new">{t('attention.firstWebsite')}</Link>
            ) : (
              <p>{t('attention.firstByOthers')}</p>
            )}
          </EmptyState>
        )
      }
    </Loaded>
  );
}
