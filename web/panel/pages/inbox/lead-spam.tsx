import { useMutation } from '@tanstack/react-query';
import { useIntl } from 'react-intl';
import { graphql, request } from '../../graphql.js';
import { useText } from '../../language.js';
import { Button } from '../../parts/button.js';
import { ErrorBox } from '../../parts/error-box.js';
import { say } from '../../parts/toasts.js';
import type { Changes } from './changes.js';
import styles from './lead-view.module.css';
import { Part } from './part.js';
import type { Lead } from './queries.js';

const ADD_RULE = graphql(`
  mutation addSpamRule($teamId: ID!, $kind: SpamRuleKind!, $value: String!) {
    addSpamRule(teamId: $teamId, kind: $kind, value: $value) {
      id
    }
  }
`);

type Kind = 'blocked_sender' | 'blocked_domain' | 'trusted_sender';

type Props = { lead: Lead; mayManage: boolean; changes: Changes };

/** Why a lead looks like spam, and what can be decided about its sender. */
export function LeadSpam({ lead, mayManage, changes }: Props) {
  const t = useText();
  const { locale } = useIntl();
  const { spamVerdict, state, teamId, emails } = lead;
  const chosen = { leads: [{ id: lead.id, state }] };
  const add = useMutation({
    mutationFn: ({ kind, value }: { kind: Kind; value: string }) =>
      request(ADD_RULE, { teamId, kind, value }),
    onSuccess: (_, { kind, value }) => {
      const isTrusted = kind === 'trusted_sender';
      say(t(isTrusted ? 'spam.trusted' : 'spam.blocked', { value }));
      if (isTrusted ? state === 'spam' : state !== 'spam') {
        void changes.setState(chosen, isTrusted ? 'new' : 'spam');
      }
    },
  });
  if (!spamVerdict && state !== 'spam') return null;
  const [email] = emails;
  const decide = (kind: Kind, value: string) => () => add.mutate({ kind, value });
  return (
    <Part title={t('spam.title')}>
      {spamVerdict && (
        <>
          <p>{t('spam.score', { score: spamVerdict.score, threshold: spamVerdict.threshold })}</p>
          <ul aria-label={t('spam.reasons')}>
            {spamVerdict.reasons.map(({ signal, points, en, fr }) => (
              <li key={signal}>
                {locale.startsWith('fr') ? fr : en} ({t('spam.points', { points })})
              </li>
            ))}
          </ul>
        </>
      )}
      {mayManage && (
        <div className={styles.actions}>
          {state === 'spam' && (
            <Button variant="primary" onPress={() => void changes.setState(chosen, 'new')}>
              {t('spam.notSpam')}
            </Button>
          )}
          {email && (
            <>
              <Button variant="quiet" onPress={decide('blocked_sender', email)}>
                {t('spam.blockSender')}
              </Button>
              <Button
                variant="quiet"
                onPress={decide('blocked_domain', email.slice(email.lastIndexOf('@') + 1))}
              >
                {t('spam.blockDomain')}
              </Button>
              <Button variant="quiet" onPress={decide('trusted_sender', email)}>
                {t('spam.trust')}
              </Button>
            </>
          )}
        </div>
      )}
      {add.error && <ErrorBox error={add.error} />}
    </Part>
  );
}
