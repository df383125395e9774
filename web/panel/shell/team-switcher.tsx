import { useQuery } from '@tanstack/react-query';
import { getRouteApi, lazyRouteComponent, useNavigate, useParams } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { DialogTrigger } from 'react-aria-components';
import { useText } from '../language.js';
import { Button } from '../parts/buttons/button.js';
import { Skeleton } from '../parts/feedback/skeleton.js';
import { ChevronIcon } from '../parts/icons/icons.js';
import { Popover } from '../parts/overlays/popover.js';
import { teamQuery } from '../parts/teams/teams.js';
import { useViewer } from '../session.js';
import { useViewAs } from '../view-as.js';
import styles from './team-switcher.module.css';

const TeamList = lazyRouteComponent(() => import('./team-list.js'), 'TeamList');

const route = getRouteApi('/shell');

/**
 * Returns what narrows the page to a team. What is of another team goes: the websites and forms that a list is narrowed
 * to, and what is open, whose list takes its place; a team's page becomes that of the team.
 */
function useNarrow() {
  const navigate = useNavigate();
  const { id: lead, websiteId, formId, teamId } = useParams({ strict: false });
  return (team: string | undefined) => {
    if (team === undefined) return navigate({ to: '.', search: (search) => ({ ...search, team }) });
    if (websiteId) return navigate({ to: '/websites', search: { team } });
    if (formId) return navigate({ to: '/forms', search: { team } });
    if (teamId) {
      return navigate({
        to: '/teams/$teamId',
        params: { teamId: team },
        search: ({ tab }) => ({ tab, team }),
      });
    }
    return navigate({
      to: lead ? '/inbox' : '.',
      search: ({ website, form, site, ...kept }) => ({ ...kept, team }),
    });
  };
}

/** Narrows the pages to one team, for who sees several; the address has the choice. */
export function TeamSwitcher() {
  const t = useText();
  const { staff, teams } = useViewer();
  const { team: id } = route.useSearch();
  const narrow = useNarrow();
  const [isOpen, setOpen] = useState(false);
  const view = useViewAs();
  const own = teams.find(({ team }) => team.id === id)?.team.name;
  const { data: other } = useQuery({
    ...teamQuery(id!),
    enabled: id !== undefined && own === undefined,
  });
  if (!staff && teams.length < 2) return null;
  const name = id === undefined ? t('team.all') : (own ?? other?.name ?? '…');
  return (
    <>
      <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
        <Button aria-label={t('labelled', { label: t('team.label'), value: name })}>
          <span className={styles.name}>{name}</span>
          <ChevronIcon />
        </Button>
        <Popover placement="bottom start" aria-label={t('team.label')}>
          <div className={styles.choice}>
            <Suspense fallback={<Skeleton />}>
              <TeamList
                chosen={id}
                onChoose={(team) => {
                  setOpen(false);
                  void narrow(team);
                }}
              />
            </Suspense>
          </div>
        </Popover>
      </DialogTrigger>
      {staff && id !== undefined && (
        <Button variant="quiet" onPress={() => view.begin(id)} isPending={view.isPending}>
          {t('viewAs.begin')}
        </Button>
      )}
      {view.question}
    </>
  );
}
