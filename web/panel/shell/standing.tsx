import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useIntl } from 'react-intl';
import { PANEL } from '../address.js';
import { passwordPrompt } from '../graphql.js';
import { useText } from '../language.js';
import { Button } from '../parts/buttons/button.js';
import { hasUnsaved } from '../parts/form/unsaved.js';
import { isRefusal, onRefusal } from '../queries.js';
import { readViewer, type Viewer, viewerQuery } from '../session.js';
import { onSession } from '../session-channel.js';
import { useEndView } from '../view-as.js';
import styles from './banner.module.css';

/** With what the viewer logs in and what the viewer may do, to compare. */
const standingOf = ({ email, staff, viewAsTeamId, teams }: Viewer) => ({
  email,
  staff,
  viewAsTeamId,
  teams,
});

/**
 * Notices that the viewer's address, roles or view have changed, with each page that is opened, each refusal of the
 * gateway, and whatever another tab does to the session, so that the pages offer what may be done now. A team that is
 * lost, and a role that is another now, is named until it is read: what was refused may have left the page with what it
 * was about. A page with unsaved changes stays as it is while another tab views as a client, and says how they can be
 * saved.
 *
 * A tab in which the session has ended, or is another account's, would act without a session or as that account: it
 * asks for the viewer's password, or begins anew as the other account where no unsaved changes would be lost.
 */
export function Standing({ page }: { page: string | undefined }) {
  const t = useText();
  const { formatList } = useIntl();
  const client = useQueryClient();
  const navigate = useNavigate();
  const opened = useRef(page);
  const isReading = useRef(false);
  const isOutdated = useRef(false);
  /** Whether another account was logged in: what was read meanwhile is that account's. */
  const wasOther = useRef(false);
  const [lost, setLost] = useState<readonly string[]>([]);
  const [changed, setChanged] = useState<Viewer['teams']>([]);
  /** The team that another tab views as, while unsaved changes keep this one as it is. */
  const [viewed, setViewed] = useState<string | null>(null);

  const compare = useCallback(async () => {
    isOutdated.current = true;
    if (isReading.current) return;
    isReading.current = true;
    let now: Viewer | null | undefined;
    while (isOutdated.current) {
      isOutdated.current = false;
      // What keeps it from being read is told by the page, which asks the same gateway.
      now = await readViewer().catch(() => undefined);
    }
    isReading.current = false;
    const before = client.getQueryData(viewerQuery.queryKey);
    if (now === undefined || !before) return;
    if (now?.userId !== before.userId) {
      wasOther.current ||= now !== null;
      if (now && !hasUnsaved()) location.assign(PANEL);
      else void passwordPrompt()?.ask(now?.email);
      return;
    }
    passwordPrompt()?.resume();
    const view = now.viewAsTeamId !== before.viewAsTeamId ? now.viewAsTeamId : null;
    const isHeld = view !== null && hasUnsaved();
    setViewed(isHeld ? (now.teams.find(({ team }) => team.id === view)?.team.name ?? '') : null);
    const isSame = JSON.stringify(standingOf(now)) === JSON.stringify(standingOf(before));
    if (isHeld || (isSame && !wasOther.current)) return;
    wasOther.current = false;
    client.setQueryData(viewerQuery.queryKey, { ...before, ...standingOf(now) });
    const gone = before.teams.filter(({ team }) => !now.teams.some((one) => one.team.id === team.id));
    if (gone.length > 0 && now.viewAsTeamId === before.viewAsTeamId) {
      setLost(gone.map(({ team }) => team.name));
      await navigate({
        to: '.',
        search: (search) =>
          gone.some(({ team }) => team.id === search.team) ? { ...search, team: undefined } : search,
        replace: true,
      });
    }
    const others = now.teams.filter(({ team, role }) =>
      before.teams.some((one) => one.team.id === team.id && one.role !== role),
    );
    if (others.length > 0) setChanged(others);
    client.removeQueries({ type: 'inactive' });
    await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== viewerQuery.queryKey[0] });
    // What is shown and no longer the viewer's to see goes too.
    await client.resetQueries({ predicate: ({ state }) => isRefusal(state.error) });
  }, [client, navigate]);

  useEffect(() => {
    const read = () => void compare();
    const readIfSeen = () => {
      if (document.visibilityState === 'visible') read();
    };
    onRefusal(read);
    const stop = onSession(read);
    document.addEventListener('visibilitychange', readIfSeen);
    return () => {
      onRefusal(null);
      stop();
      document.removeEventListener('visibilitychange', readIfSeen);
    };
  }, [compare]);

  const end = useEndView(() => void compare());

  useEffect(() => {
    if (opened.current === page) return;
    opened.current = page;
    void compare();
  }, [page, compare]);

  if (viewed !== null) {
    return (
      <div role="alert" className={styles.banner}>
        <p>{t('viewAs.elsewhere', { team: viewed })}</p>
        <Button onPress={() => end.mutate()} isPending={end.isPending}>
          {t('viewAs.end')}
        </Button>
      </div>
    );
  }
  if (lost.length === 0 && changed.length === 0) return null;
  return (
    <div role="alert" className={styles.banner}>
      <div>
        {lost.length > 0 && <p>{t('standing.lost', { count: lost.length, teams: formatList(lost) })}</p>}
        {changed.map(({ team, role }) => (
          <p key={team.id}>{t('standing.role', { team: team.name, role })}</p>
        ))}
      </div>
      <Button
        onPress={() => {
          setLost([]);
          setChanged([]);
        }}
      >
        {t('action.close')}
      </Button>
    </div>
  );
}
