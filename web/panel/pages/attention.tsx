import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useIntl } from 'react-intl';
import { useLanguage, useText } from '../language.js';
import { NoTeam } from '../no-team.js';
import { MoreButton } from '../parts/buttons/more-button.js';
import { Loaded } from '../parts/feedback/loaded.js';
import { Note } from '../parts/feedback/note.js';
import { Skeleton } from '../parts/feedback/skeleton.js';
import { Page } from '../parts/layout/page.js';
import { Moment } from '../parts/time/moment.js';
import { useViewer } from '../session.js';
import { todayQuery } from '../today.js';
import { ItemList } from './attention/item-list.js';
import { NothingListed } from './attention/nothing-listed.js';
import { attentionQuery, suspendedQuery } from './attention/queries.js';
import { TodayPanel } from './attention/today-panel.js';
import styles from './attention.module.css';

const route = getRouteApi('/shell/');

/** The start page: what needs attention. A viewer without a team has nothing of which it could be said. */
export function AttentionPage() {
  const t = useText();
  const { staff, teams } = useViewer();
  if (staff || teams.length > 0) return <Attention />;
  return (
    <Page title={t('attention.title')}>
      <NoTeam />
    </Page>
  );
}

/** What needs attention in all that is in view, and how the day goes. */
function Attention() {
  const t = useText();
  const { team } = route.useSearch();
  const language = useLanguage();
  const { formatList } = useIntl();
  const today = useQuery(todayQuery(team));
  const attention = useInfiniteQuery(attentionQuery(team, language));
  const suspended = useQuery(suspendedQuery(team));
  const items = (attention.data?.pages ?? []).flatMap(({ edges }) => edges.map(({ node }) => node));
  const checkedAt = today.data?.checkedAt ?? null;
  const isUntested = today.data?.areProbesLate ?? false;
  const isLate = today.data?.areCountsLate ?? false;
  const isChecked = today.data !== undefined && !isLate && !isUntested;
  return (
    <Page
      title={t('attention.title')}
      actions={
        checkedAt && (
          <p className={styles.checked}>
            {t('attention.checked')} <Moment at={checkedAt} />
          </p>
        )
      }
    >
      <div className={styles.columns}>
        <div>
          <div role="status">
            {isLate && <Note>{t(checkedAt ? 'attention.late' : 'attention.unchecked')}</Note>}
            {isUntested && <Note>{t('attention.untested')}</Note>}
            {suspended.data && suspended.data.length > 0 && (
              <Note>
                {t('attention.suspended', {
                  count: suspended.data.length,
                  teams: formatList(suspended.data),
                })}
              </Note>
            )}
          </div>
          <Loaded query={attention} skeleton={<Skeleton lines={8} />}>
            {() =>
              items.length > 0 ? (
                <ItemList items={items} />
              ) : (
                <Loaded query={suspended}>
                  {(teams) => <NothingListed team={team} isWell={isChecked && teams.length === 0} />}
                </Loaded>
              )
            }
          </Loaded>
          <div className={styles.more}>
            <MoreButton query={attention}>{t('attention.more')}</MoreButton>
          </div>
        </div>
        <aside aria-label={t('today.label')}>
          <Loaded query={today} skeleton={<Skeleton lines={5} />}>
            {(data) => <TodayPanel today={data} />}
          </Loaded>
        </aside>
      </div>
    </Page>
  );
}
