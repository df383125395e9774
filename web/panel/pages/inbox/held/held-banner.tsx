import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useIntl } from 'react-intl';
import { graphql, request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { describeError } from '../../../parts/feedback/error-words.js';
import { say } from '../../../parts/overlays/toasts.js';
import { manages, useViewer } from '../../../session.js';
import { invalidateLeads } from '../changes/cache.js';
import { type Count, useCountText } from '../count.js';
import { heldQuery } from '../queries.js';
import styles from './held-banner.module.css';

const SEND_HELD = graphql(`
  mutation sendHeld($teamId: ID!) {
    sendHeld(teamId: $teamId) {
      handedOver
      sendable
    }
  }
`);

type Props = {
  /** The team that the inbox is narrowed to. */
  team: string | undefined;
  /** Of all teams, where none is chosen: of a long backlog no more than a lower bound, which may be 0. */
  held: Count;
  /** Whether the list shows them all. */
  isListed: boolean;
};

/** Hands over what is held, portion by portion. @returns how many there were. */
async function sendAll(teamId: string): Promise<number> {
  let sent = 0;
  for (;;) {
    const { handedOver, sendable } = (await request(SEND_HELD, { teamId })).sendHeld;
    sent += handedOver;
    if (handedOver === 0 || sendable === 0) return sent;
  }
}

/**
 * Tells how many e-mails the quota holds back. Who manages the team sends those that the plan has room for, and staff
 * are led to a plan that has none.
 */
export function HeldBanner({ team: chosen, held: found, isListed }: Props) {
  const t = useText();
  const client = useQueryClient();
  const countText = useCountText();
  const { formatNumber } = useIntl();
  const viewer = useViewer();
  const { staff, teams } = viewer;
  const team = chosen ?? (!staff && teams.length === 1 ? teams[0]!.team.id : null);
  const { data: quota } = useQuery({ ...heldQuery(team ?? ''), enabled: team !== null });
  const held = quota ? { count: quota.held, isExact: quota.isExact } : found;
  const lacksRoom = quota && quota.sendable < held.count;
  const send = useMutation({
    mutationFn: () => sendAll(team!),
    onSuccess: (count) => say(count > 0 ? t('inbox.sentAgain', { count }) : t('held.none')),
    onError: (error) => say(describeError(error, t).text),
    onSettled: () => invalidateLeads(client),
  });
  if (held.count === 0) return null;
  return (
    <div className={styles.banner}>
      <p>
        {t('held.text', { count: held.count, number: countText(held) })}{' '}
        <span className={styles.usage}>
          {quota &&
            quota.limit !== null &&
            t('held.usage', { used: formatNumber(quota.used), limit: formatNumber(quota.limit) })}{' '}
          {lacksRoom && t('held.room', { count: quota.sendable })}
          {team === null && t('held.chooseTeam')}
        </span>
      </p>
      {!isListed && (
        <Link to="/inbox" search={({ team: kept }) => ({ team: kept, folder: 'held' })}>
          {t('held.show')}
        </Link>
      )}
      {lacksRoom && staff && team !== null && (
        <Link
          to="/teams/$teamId"
          params={{ teamId: team }}
          search={({ team: kept }) => ({ team: kept, tab: 'usage' })}
        >
          {t('held.toPlan')}
        </Link>
      )}
      {team !== null && manages(viewer, team) && quota && quota.sendable > 0 && (
        <Button isPending={send.isPending} onPress={() => send.mutate()}>
          {t('held.send')}
        </Button>
      )}
    </div>
  );
}
