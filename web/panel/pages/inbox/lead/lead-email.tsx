import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useIntl } from 'react-intl';
import { isServerAway } from '../../../../../src/mail/server-away.js';
import { formFieldsQuery } from '../../../form-fields.js';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import type { Condition } from '../../../parts/condition/rules.js';
import { useSentence } from '../../../parts/condition/sentence.js';
import { AlertIcon } from '../../../parts/icons/alert-icon.js';
import { CheckIcon, WaitIcon } from '../../../parts/icons/icons.js';
import { Moment } from '../../../parts/time/moment.js';
import { monthName } from '../list/lead-time.js';
import { Part } from '../part.js';
import { heldQuery } from '../queries.js';
import { isInFolder } from '../search.js';
import { deliveryOf, readDetail } from './lead-delivery.js';
import styles from './lead-email.module.css';
import type { Lead } from './lead-queries.js';
import view from './lead-view.module.css';

type Notification = NonNullable<Lead['notification']>;
type Rule = NonNullable<Notification['recipients'][number]['rule']>;
/** An account that requests an e-mail names its recipients: no rule chose them. */
type Recipient = Omit<Notification['recipients'][number], 'rule'> & { rule?: Rule | null };

const ICONS = {
  accepted: <CheckIcon />,
  waiting: <WaitIcon />,
  refused: <AlertIcon />,
  unknown: <AlertIcon />,
  delayed: <WaitIcon />,
  bounced: <AlertIcon />,
} as const;

/** Sends the e-mail to some of its recipients as another message. */
type Resend = (addresses: readonly string[]) => void;

type LeadEmailProps = {
  lead: Lead;
  onResend: Resend | undefined;
  /** Sends the e-mail that was not sent. */
  onSend: (() => void) | undefined;
};

/** Where the e-mail about a lead went, and what the mail server said, for each recipient and each attempt. */
export function LeadEmail({ lead, onResend, onSend }: LeadEmailProps) {
  const t = useText();
  const { formatDate } = useIntl();
  const { notification, requestedEmails, website, form } = lead;
  return (
    <Part title={t('email.title')}>
      {notification ? (
        <Timeline
          notification={notification}
          teamId={lead.teamId}
          isHeld={isInFolder('held', lead.state)}
          month={monthName(formatDate, lead.createdAt)}
          formId={form.id}
          timeZone={website.timeZone}
          onResend={onResend}
          onSend={onSend}
        />
      ) : (
        <p className={view.none}>{t('leadEmail.none')}</p>
      )}
      {requestedEmails.map((email) => (
        <section key={email.id} className={styles.requested}>
          <p>
            {t(`leadEmail.${email.kind}`, {
              name: email.requestedByName ?? '',
              by: email.requestedByName === null ? 'none' : 'account',
            })}
            {' · '}
            <Moment at={email.createdAt} timeZone={website.timeZone} />
          </p>
          {email.note && (
            <p className={styles.note} dir="auto">
              {email.note}
            </p>
          )}
          {email.state === 'skipped_quota' && (
            <p>{t('leadEmail.skipped_quota', { month: monthName(formatDate, email.createdAt) })}</p>
          )}
          <Recipients recipients={email.recipients} formId={form.id} timeZone={website.timeZone} />
          <Attempts attempts={email.attempts} timeZone={website.timeZone} />
        </section>
      ))}
    </Part>
  );
}

type TimelineProps = Pick<LeadEmailProps, 'onResend' | 'onSend'> & {
  notification: Notification;
  teamId: string;
  /** Whether it is among those that the team can send once the plan has room. */
  isHeld: boolean;
  /** The month in whose quota it counts. */
  month: string;
  formId: string;
  timeZone: string;
};

function Timeline(props: TimelineProps) {
  const { notification, teamId, isHeld, month, formId, timeZone, onResend, onSend } = props;
  const t = useText();
  const { state, recipients, attempts } = notification;
  const delivery = deliveryOf(notification);
  return (
    <>
      <p className={styles.state} data-state={delivery}>
        {t(`leadEmail.${delivery}`, { month })}
      </p>
      {state === 'skipped_quota' && isHeld && <Room teamId={teamId} onSend={onSend} />}
      <Recipients
        recipients={recipients}
        formId={formId}
        timeZone={timeZone}
        // Of a single recipient *Send again* above says the same.
        onResend={state === 'sent' && recipients.length > 1 ? onResend : undefined}
      />
      <Attempts attempts={attempts} timeZone={timeZone} />
    </>
  );
}

/** Tells that the plan has room by now for all that it held back, this e-mail too, and sends it. */
function Room({ teamId, onSend }: { teamId: string; onSend: (() => void) | undefined }) {
  const t = useText();
  const { data: quota } = useQuery(heldQuery(teamId));
  if (!quota || quota.sendable < quota.held) return null;
  return (
    <p>
      {t('leadEmail.room')} {onSend && <Button onPress={onSend}>{t('leadEmail.send')}</Button>}
    </p>
  );
}

type AttemptsProps = { attempts: Notification['attempts']; timeZone: string };

/** Every attempt that has ended, folded away. */
function Attempts({ attempts, timeZone }: AttemptsProps) {
  const t = useText();
  if (attempts.length === 0) return null;
  return (
    <details className={styles.attempts}>
      <summary>{t('leadEmail.attempts', { count: attempts.length })}</summary>
      <ol>
        {attempts.map((attempt) => (
          <AttemptItem key={`${attempt.number} ${attempt.startedAt}`} attempt={attempt} timeZone={timeZone} />
        ))}
      </ol>
    </details>
  );
}

type AttemptProps = { attempt: Notification['attempts'][number]; timeZone: string };

/** How an attempt ended, for each part of its recipients where they differ. */
function AttemptItem({ attempt, timeZone }: AttemptProps) {
  const t = useText();
  const { formatList } = useIntl();
  const { finishedAt, outcome, smtpCode, detail, recipients } = attempt;
  const { shares, answer } = readDetail(detail ?? '');
  return (
    <li>
      <p>
        <Moment at={finishedAt} timeZone={timeZone} />{' '}
        {shares.length > 0
          ? formatList(
              shares.map(({ outcome: ofShare, ...numbers }) => t(`leadEmail.share.${ofShare}`, numbers)),
              { type: 'unit' },
            )
          : t(`leadEmail.attempt.${outcome}`)}
        {smtpCode !== null && ` (${smtpCode})`}
        {recipients.length > 0 && `\u00a0· ${recipients.join(', ')}`}
      </p>
      {answer && <Answer text={answer} isOver />}
    </li>
  );
}

type RecipientsProps = {
  recipients: readonly Recipient[];
  formId: string;
  timeZone: string;
  onResend?: Resend | undefined;
};

function Recipients({ recipients, formId, timeZone, onResend }: RecipientsProps) {
  const t = useText();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  // Of two recipients the button of each and *Send again* above are every choice there is.
  const isChoosable = onResend !== undefined && recipients.length > 2;
  const choose = (address: string, isChosen: boolean) => {
    const next = new Set(chosen);
    if (isChosen) next.add(address);
    else next.delete(address);
    setChosen(next);
  };
  return (
    <>
      <ul className={styles.recipients}>
        {recipients.map((recipient) => (
          <li key={recipient.address} data-state={recipient.state}>
            {isChoosable && (
              <input
                type="checkbox"
                aria-label={t('recipient.choose', { address: recipient.address })}
                checked={chosen.has(recipient.address)}
                onChange={({ target }) => choose(recipient.address, target.checked)}
              />
            )}
            {ICONS[recipient.state]}
            <div>
              <p className={styles.address}>{recipient.address}</p>
              <Outcome recipient={recipient} timeZone={timeZone} />
              {recipient.rule && <Reason formId={formId} rule={recipient.rule} />}
            </div>
            {onResend && (
              <Button
                variant="quiet"
                aria-label={t('recipient.resendTo', { address: recipient.address })}
                onPress={() => onResend([recipient.address])}
              >
                {t('recipient.resend')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {isChoosable && chosen.size > 0 && (
        <Button
          onPress={() => {
            onResend([...chosen]);
            setChosen(new Set());
          }}
        >
          {t('recipient.resendChosen', { count: chosen.size })}
        </Button>
      )}
    </>
  );
}

/** The rule that chose a recipient, in the words of the form as it is now. */
function Reason({ formId, rule }: { formId: string; rule: Rule }) {
  const t = useText();
  const sentence = useSentence();
  const { data: fields = [] } = useQuery(formFieldsQuery(formId));
  const condition = sentence(rule.when as Condition, fields);
  return (
    <p className={styles.reason}>
      {t(`recipient.chosenBy.${rule.scope}`, { number: rule.index + 1, condition })}
    </p>
  );
}

/** The mail server's own words, or that it is or was away. */
function Answer({ text, isOver }: { text: string; isOver: boolean }) {
  const t = useText();
  if (isServerAway(text))
    return <p className={styles.answer}>{t(isOver ? 'leadEmail.serverWasAway' : 'leadEmail.serverAway')}</p>;
  return (
    <p className={styles.answer} lang="en">
      {text}
    </p>
  );
}

function Outcome({ recipient, timeZone }: { recipient: Recipient; timeZone: string }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const { state, at, durationMs, nextAttemptAt, lastAnswer } = recipient;
  return (
    <>
      <p className={styles.facts}>
        <span>{t(`recipient.${state}`)}</span>
        {at && <Moment at={at} timeZone={timeZone} />}
        {durationMs !== null && (
          <span>
            {t('leadEmail.duration', {
              seconds: formatNumber(durationMs / 1_000, { maximumSignificantDigits: 2 }),
            })}
          </span>
        )}
        {nextAttemptAt && (
          <span>
            {t('leadEmail.next')} <Moment at={nextAttemptAt} timeZone={timeZone} />
          </span>
        )}
      </p>
      {lastAnswer && <Answer text={lastAnswer} isOver={state !== 'waiting'} />}
    </>
  );
}
