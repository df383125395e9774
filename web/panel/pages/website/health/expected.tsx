import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { ErrorBox } from '../../../parts/feedback/error-box.js';
import { Moment } from '../../../parts/time/moment.js';
import { useMayManage } from '../../../session.js';
import { attentionChanged, END_SET_ASIDE } from '../../../today.js';
import type { Website } from '../queries.js';
import styles from './expected.module.css';
import { type SetAside, setAsidesQuery } from './queries.js';

/** What is expected of a website for a while, each with a button that has it listed again. */
export function Expected({ website: { id, teamId, timeZone } }: { website: Website }) {
  const t = useText();
  const client = useQueryClient();
  const mayManage = useMayManage(teamId);
  const { data = [] } = useQuery(setAsidesQuery(id));
  const end = useMutation({
    mutationFn: (kind: SetAside['kind']) => request(END_SET_ASIDE, { kind, websiteId: id }),
    onSuccess: () => attentionChanged(client, id),
  });
  if (data.length === 0) return null;
  return (
    <>
      {end.error && <ErrorBox error={end.error} />}
      <ul className={styles.list} aria-label={t('health.expected')}>
        {data.map(({ kind, until, reason, setByName }) => (
          <li key={kind}>
            <span>
              {t('health.expectedKind', { kind: t(`health.kind.${kind}`) })}{' '}
              <Moment at={until} timeZone={timeZone} />
              {reason && ` – ${reason}`}
              {setByName && ` (${setByName})`}
            </span>
            {mayManage && (
              <Button
                variant="quiet"
                aria-label={`${t('health.listAgain')} – ${t(`health.kind.${kind}`)}`}
                isPending={end.isPending}
                onPress={() => end.mutate(kind)}
              >
                {t('health.listAgain')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
