import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useIntl } from 'react-intl';
import { graphql, request } from '../../graphql.js';
import { useText } from '../../language.js';
import { Button } from '../../parts/button.js';
import { describeError } from '../../parts/error-words.js';
import { say } from '../../parts/toasts.js';
import { useViewer } from '../../session.js';
import { invalidateLeads } from './cache.js';
import { useCountText } from './folders.js';
import styles from './held-banner.module.css';

const HELD = graphql(`
  query quotaHeld($teamId: ID!) {
    quotaHeld(teamId: $teamId) {
      held
      limit
      used
      room
    }
  }
`);

const SEND_HELD = graphql(`
  mutation sendHeld($teamId: ID!) {
    sendHeld(teamId: $teamId) {
      handedOver
      held
      room
    }
  }
`);

type Props = {
  /** The team that the inbox is narrowed to. */
  team: string | undefined;
  /** How many e-mails are held in view, of whatever month. */
  held: Readonly<{ count: number; isExact: boolean }>;
};

/** Hands over what is held, portion by portion. @returns how many there were. */
async function sendAll(teamId: string): Promise<number> {
  let sent = 0;
  for (;;) {
    const { handedOver, held, room } = (await request(SEND_HELD, { teamId })).sendHeld;
    sent += handedOver;
    if (handedOver === 0 || held === 0 || room === 0) return sent;
  }
}

/** Tells how many e-mails the quota holds back, and sends those of the month once the plan has room for them. */
export function HeldBanner({ team: chosen, held }: Props) {
  const t = useText();
  const client = useQueryClient();
  const countText = useCountText();
  const { formatNumber } = useIntl();
  const { staff, teams } = useViewer();
  const team = chosen ?? (!staff && teams.length === 1 ? teams[0]!.team.id : null);
  const { data: month } = useQuery({
    queryKey: ['leadCounts', 'held', team],
    queryFn: async ({ signal }) => (await request(HELD, { teamId: team! }, signal)).quotaHeld,
    enabled: team !== null,
  });
  const send = useMutation({
    mutationFn: () => sendAll(team!),
    onSuccess: (count) => say(count > 0 ? t('inbox.sentAgain', { count }) : t('held.none')),
    onError: (error) => say(describeError(error, t).text),
    onSettled: () => invalidateLeads(client),
  });
  return (
    <div className={styles.banner}>
      <p>
        {t('held.text', { count: held.count, number: countText(held) })}{' '}
        <span className={styles.usage}>
          {month &&
            month.limit !== null &&
            t('held.usage', { used: formatNumber(month.used), limit: formatNumber(month.limit) })}
          {team === null && t('held.chooseTeam')}
        </span>
      </p>
      <Link to="/inbox" search={(search) => ({ ...search, folder: 'held' })}>
        {t('held.show')}
      </Link>
      {month && month.held > 0 && (
        <Button isDisabled={month.room === 0} isPending={send.isPending} onPress={() => send.mutate()}>
          {t('held.send')}
        </Button>
      )}
    </div>
  );
}
