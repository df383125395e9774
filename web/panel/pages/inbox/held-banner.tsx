import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { useIntl } from 'react-intl';
import { graphql, request } from '../../graphql.js';
import { useText } from '../../language.js';
import { Button } from '../../parts/button.js';
import { describeError } from '../../parts/error-words.js';
import { say } from '../../parts/toasts.js';
import { manages, useViewer } from '../../session.js';
import { invalidateLeads } from './cache.js';
import { useCountText } from './count.js';
import { countOf, NONE } from './folders.js';
import styles from './held-banner.module.css';
import { countsQuery, heldQuery } from './queries.js';
import { filterOf } from './search.js';

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
 * Tells how many e-mails the quota holds back, whatever the list is narrowed to beside the team, and who manages the team
 * sends those that the plan has room for.
 */
export const HeldBanner = memo(function HeldBanner({ team: chosen }: Props) {
  const t = useText();
  const client = useQueryClient();
  const countText = useCountText();
  const { formatNumber } = useIntl();
  const viewer = useViewer();
  const { staff, teams } = viewer;
  const team = chosen ?? (!staff && teams.length === 1 ? teams[0]!.team.id : null);
  const { data: counts } = useQuery(countsQuery(filterOf({ team: chosen })));
  const held = counts ? countOf('held', counts) : NONE;
  const { data: quota } = useQuery({ ...heldQuery(team ?? ''), enabled: team !== null && held.count > 0 });
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
          {quota && quota.sendable < held.count && t('held.room', { count: quota.sendable })}
          {team === null && t('held.chooseTeam')}
        </span>
      </p>
      <Link to="/inbox" search={(search) => ({ ...search, folder: 'held' })}>
        {t('held.show')}
      </Link>
      {team !== null && manages(viewer, team) && quota && quota.sendable > 0 && (
        <Button isPending={send.isPending} onPress={() => send.mutate()}>
          {t('held.send')}
        </Button>
      )}
    </div>
  );
});
