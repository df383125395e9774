import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { graphql, type ResultOf, request } from '../../graphql.js';
import { useText } from '../../language.js';
import { browserOf } from '../../parts/browser-name.js';
import { Button } from '../../parts/buttons/button.js';
import { ErrorBox } from '../../parts/feedback/error-box.js';
import { describeError } from '../../parts/feedback/error-words.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { Section } from '../../parts/layout/page.js';
import { Table } from '../../parts/layout/table.js';
import { Dialog, DialogButtons } from '../../parts/overlays/dialog.js';
import { say } from '../../parts/overlays/toasts.js';
import { Moment } from '../../parts/time/moment.js';
import styles from '../account.module.css';

const SESSIONS = graphql(`
  query sessions {
    sessions {
      id
      ip
      userAgent
      createdAt
      lastSeenAt
      current
    }
  }
`);

const REVOKE = graphql(`
  mutation revokeSession($id: ID!) {
    revokeSession(id: $id)
  }
`);

const REVOKE_OTHERS = graphql(`
  mutation revokeOtherSessions {
    revokeOtherSessions
  }
`);

/** Key of the query of the sessions, which a new password makes stale. */
export const SESSIONS_KEY = ['sessions'];

type Session = ResultOf<typeof SESSIONS>['sessions'][number];

/** The browsers in which the account is logged in. */
export function Sessions() {
  const t = useText();
  const client = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const sessions = useQuery({
    queryKey: SESSIONS_KEY,
    queryFn: async ({ signal }) => (await request(SESSIONS, {}, signal)).sessions,
  });
  const endOthers = useMutation({
    mutationFn: () => request(REVOKE_OTHERS),
    onSuccess: ({ revokeOtherSessions: count }) => {
      setAsking(false);
      say(t('account.sessionsEnded', { count }));
      return client.invalidateQueries({ queryKey: SESSIONS_KEY });
    },
  });
  const hasOthers = sessions.data?.some(({ current }) => !current);
  return (
    <Section
      title={t('account.sessions')}
      actions={hasOthers && <Button onPress={() => setAsking(true)}>{t('account.endOthers')}</Button>}
    >
      <Loaded query={sessions}>
        {(list) => (
          <Table
            label={t('account.sessions')}
            headings={[
              t('account.session'),
              t('account.session.from'),
              t('account.session.opened'),
              t('account.session.lastSeen'),
              '',
            ]}
          >
            {list.map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </Table>
        )}
      </Loaded>
      <Dialog
        title={t('account.endOthers')}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        isPending={endOthers.isPending}
      >
        <p>{t('account.endOthersText')}</p>
        {endOthers.error && <ErrorBox error={endOthers.error} />}
        <DialogButtons action={t('account.endOthers')} variant="danger" onPress={() => endOthers.mutate()} />
      </Dialog>
    </Section>
  );
}

function SessionRow({ session }: { session: Session }) {
  const t = useText();
  const client = useQueryClient();
  const { id, ip, userAgent, createdAt, lastSeenAt, current } = session;
  const browser = browserOf(userAgent) ?? t('account.session.unknown');
  const end = useMutation({
    mutationFn: () => request(REVOKE, { id }),
    onMutate: () => {
      const list = client.getQueryData<Session[]>(SESSIONS_KEY) ?? [];
      client.setQueryData<Session[]>(
        SESSIONS_KEY,
        list.filter((one) => one.id !== id),
      );
      return list.findIndex((one) => one.id === id);
    },
    onSuccess: () => say(t('account.sessionEnded')),
    onError: (error, _variables, index = 0) => {
      // Others may have ended meanwhile.
      client.setQueryData<Session[]>(SESSIONS_KEY, (list) =>
        list?.some((one) => one.id === id) ? list : list?.toSpliced(index, 0, session),
      );
      say(describeError(error, t).text);
      return client.invalidateQueries({ queryKey: SESSIONS_KEY });
    },
  });
  return (
    <tr>
      <td title={userAgent ?? undefined}>
        {browser} {current && <span className={styles.current}>({t('account.session.current')})</span>}
      </td>
      <td>{ip}</td>
      <td>
        <Moment at={createdAt} />
      </td>
      <td>
        <Moment at={lastSeenAt} />
      </td>
      <td>
        {!current && (
          <Button
            variant="quiet"
            aria-label={t('account.endSessionOf', { browser })}
            onPress={() => end.mutate()}
          >
            {t('account.endSession')}
          </Button>
        )}
      </td>
    </tr>
  );
}
