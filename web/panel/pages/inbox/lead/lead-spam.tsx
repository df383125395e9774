import { useMutation } from '@tanstack/react-query';
import { useIntl } from 'react-intl';
import { isFreeMail } from '../../../../../src/lib/text/free-mail.js';
import { GatewayError, graphql, request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { ErrorBox } from '../../../parts/feedback/error-box.js';
import { Note } from '../../../parts/feedback/note.js';
import { useFaultWords } from '../../../parts/form/fault-words.js';
import { say } from '../../../parts/overlays/toasts.js';
import type { Changes } from '../changes/changes.js';
import { Part } from '../part.js';
import type { Lead } from './lead-queries.js';
import styles from './lead-view.module.css';

const ADD_RULE = graphql(`
  mutation addSpamRule($teamId: ID!, $kind: SpamRuleKind!, $value: String!) {
    addSpamRule(teamId: $teamId, kind: $kind, value: $value) {
      id
    }
  }
`);

type Kind = 'blocked_sender' | 'blocked_domain' | 'trusted_sender';

type Props = { lead: Lead; mayManage: boolean; changes: Changes };

/** Why a lead looks like spam or who has marked it, and what can be decided about its sender. */
export function LeadSpam({ lead, mayManage, changes }: Props) {
  const t = useText();
  const { locale } = useIntl();
  const faultWords = useFaultWords();
  const { spamVerdict, state, stateHistory, teamId, emails } = lead;
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
  const isJudgedSpam = spamVerdict !== null && spamVerdict.score >= spamVerdict.threshold;
  const lastChange = stateHistory.at(-1);
  const marker = lastChange?.to === 'spam' ? lastChange.changedByName : null;
  const isMarked = state === 'spam' && (marker !== null || !isJudgedSpam);
  const title = isMarked ? 'spam.titleByHand' : isJudgedSpam ? 'spam.title' : 'spam.titleBelow';
  const [email] = emails;
  const domain = email?.slice(email.lastIndexOf('@') + 1);
  const decide = (kind: Kind, value: string) => () => add.mutate({ kind, value });
  const refusal = add.error instanceof GatewayError && faultWords(add.error.fields).value;
  return (
    <Part title={t(title)}>
      {isMarked && <p>{marker ? t('spam.byHand', { name: marker }) : t('spam.byPerson')}</p>}
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
              {domain && !isFreeMail(domain) && (
                <Button variant="quiet" onPress={decide('blocked_domain', domain)}>
                  {t('spam.blockDomain')}
                </Button>
              )}
              <Button variant="quiet" onPress={decide('trusted_sender', email)}>
                {t('spam.trust')}
              </Button>
            </>
          )}
        </div>
      )}
      {refusal && (
        <div role="alert">
          <Note>{refusal}</Note>
        </div>
      )}
      {add.error && !refusal && <ErrorBox error={add.error} />}
    </Part>
  );
}
