import { Link } from '@tanstack/react-router';
import { useText } from '../../../language.js';
import { EmptyState } from '../../../parts/feedback/empty-state.js';
import { oversees, useViewer } from '../../../session.js';
import { countOf } from '../filters/folders.js';
import type { Counts } from '../queries.js';
import { type Folder, type InboxSearch, isNarrowed, isSearchable } from '../search.js';
import styles from './no-leads.module.css';

type Props = { folder: Folder; search: InboxSearch & { team?: string }; counts: Counts | undefined };

/** Says why the list is empty, and what the next step is. */
export function NoLeads({ folder, search, counts }: Props) {
  const t = useText();
  const elsewhere = counts && folder !== 'all' ? countOf('all', counts).count : 0;
  if (!isSearchable(search.q)) {
    return (
      <EmptyState title={t('empty.unsearchable')}>
        <Widen />
      </EmptyState>
    );
  }
  if (isNarrowed(search)) {
    return (
      <EmptyState title={t('empty.narrowed')}>
        {elsewhere > 0 ? (
          <Link to="/inbox" search={(given) => ({ ...given, folder: 'all' })}>
            {t('empty.elsewhere', { count: elsewhere })}
          </Link>
        ) : (
          (counts || folder === 'all') && <NextSteps search={search} />
        )}
        <Widen />
      </EmptyState>
    );
  }
  return (
    <EmptyState title={t(`empty.${folder}`)}>
      <p>{t(elsewhere > 0 || folder !== 'new' ? 'empty.hint' : 'empty.first')}</p>
      {elsewhere > 0 && (
        <Link to="/inbox" search={(given) => ({ ...given, folder: 'all' })}>
          {t('empty.showAll', { count: elsewhere })}
        </Link>
      )}
    </EmptyState>
  );
}

/** Leads back to all of the folder. */
function Widen() {
  const t = useText();
  return (
    <Link to="/inbox" search={({ team, folder }) => ({ team, folder })}>
      {t('filter.widen')}
    </Link>
  );
}

/** Where a lead that no folder has may have gone: past the filters, refused by a captcha, or deleted. */
function NextSteps({ search: { q, team, website, ...others } }: Pick<Props, 'search'>) {
  const t = useText();
  const viewer = useViewer();
  const isNarrowedMore = q !== undefined && isNarrowed({ website, ...others });
  const [only, ...more] = website ?? [];
  const site = more.length === 0 ? only : undefined;
  const ownTeam = team ?? (viewer.teams.length === 1 ? viewer.teams[0]!.team.id : undefined);
  const seesDeletions = viewer.staff || (ownTeam !== undefined && oversees(viewer, ownTeam));
  return (
    <>
      <p>{t('empty.steps')}</p>
      <ul className={styles.steps}>
        {isNarrowedMore && (
          <li>
            <Link to="/inbox" search={{ team, q }}>
              {t('empty.withoutFilters')}
            </Link>
          </li>
        )}
        <li>
          {t('empty.refused')}{' '}
          {viewer.staff ? (
            <Link to="/captcha" search={{ team, site }}>
              {t('empty.captcha')}
            </Link>
          ) : site ? (
            <Link
              to="/websites/$websiteId"
              params={{ websiteId: site }}
              search={{ team, tab: 'captcha' as const }}
            >
              {t('empty.captcha')}
            </Link>
          ) : (
            <Link to="/websites" search={{ team }}>
              {t('empty.captchaOfWebsite')}
            </Link>
          )}
        </li>
        <li>
          {t('empty.deleted')}{' '}
          {seesDeletions &&
            (viewer.staff ? (
              <Link to="/audit" search={{ team, action: 'submission.deleted' }}>
                {t('empty.deletions')}
              </Link>
            ) : (
              <Link
                to="/teams/$teamId"
                params={{ teamId: ownTeam! }}
                search={{ team, tab: 'audit', action: 'submission.' }}
              >
                {t('empty.deletions')}
              </Link>
            ))}
        </li>
        <li>
          {t('empty.retention')}{' '}
          {ownTeam !== undefined && (
            <Link to="/teams/$teamId" params={{ teamId: ownTeam }} search={{ team, tab: 'privacy' }}>
              {t('empty.retained')}
            </Link>
          )}
        </li>
      </ul>
    </>
  );
}
