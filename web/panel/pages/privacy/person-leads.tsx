import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useText } from '../../language.js';
import { MoreButton } from '../../parts/buttons/more-button.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { Badge } from '../../parts/layout/badge.js';
import { Table } from '../../parts/layout/table.js';
import { Moment } from '../../parts/time/moment.js';
import { ToldWebhook } from '../../parts/webhook/told-webhook.js';
import styles from '../privacy.module.css';
import { type LeadEmail, type PersonLead, personLeadsQuery } from './queries.js';

const RECIPIENT_TONES = {
  waiting: 'neutral',
  accepted: 'good',
  refused: 'danger',
  unknown: 'warning',
  delayed: 'warning',
  bounced: 'danger',
} as const;

/**
 * The leads of a person in a team: what was agreed to with each, which e-mails went to whom, and which webhooks were
 * told.
 */
export function PersonLeads({ email, teamId }: { email: string; teamId: string }) {
  const t = useText();
  const leads = useInfiniteQuery(personLeadsQuery(email, teamId));
  return (
    <div className={styles.leads}>
      <Loaded query={leads}>
        {({ pages }) => (
          <Table
            label={t('person.leads')}
            headings={[
              t('person.lead'),
              t('person.received'),
              t('person.place'),
              t('person.consents'),
              t('person.emails'),
              t('person.webhooks'),
            ]}
          >
            {pages.flatMap(({ edges }) => edges.map(({ node }) => <LeadRow key={node.id} lead={node} />))}
          </Table>
        )}
      </Loaded>
      <MoreButton query={leads}>{t('person.more')}</MoreButton>
    </div>
  );
}

function LeadRow({ lead }: { lead: PersonLead }) {
  const t = useText();
  const { id, createdAt, website, form, consents, notification, requestedEmails, toldWebhooks } = lead;
  return (
    <tr>
      <td>
        <Link to="/inbox/$id" params={{ id }} search={({ team }) => ({ team })}>
          <bdi>{lead.summary.title ?? t('person.nameless')}</bdi>
        </Link>
        {lead.legalHold && <div className={styles.muted}>{t('person.held')}</div>}
      </td>
      <td>
        <Moment at={createdAt} timeZone={website.timeZone} />
      </td>
      <td>
        <bdi>{website.name}</bdi>
        <div className={styles.muted}>
          <bdi>{form.name}</bdi>
        </div>
      </td>
      <td>
        {consents.length === 0 ? (
          <span className={styles.muted}>{t('person.noConsent')}</span>
        ) : (
          <>
            <ul className={styles.consents}>
              {consents.map(({ name, label, locale }) => (
                <li key={name} lang={locale} dir="auto">
                  {label}
                </li>
              ))}
            </ul>
            <Link to="/inbox/$id/consent" params={{ id }} search={({ team }) => ({ team })}>
              {t('person.proof')}
            </Link>
          </>
        )}
      </td>
      <td className={styles.told}>
        {!notification && requestedEmails.length === 0 && (
          <span className={styles.muted}>{t('person.noEmail')}</span>
        )}
        {notification && <EmailOutcome email={notification} timeZone={website.timeZone} />}
        {requestedEmails.map((email) => (
          <EmailOutcome key={email.id} email={email} timeZone={website.timeZone} />
        ))}
      </td>
      <td className={styles.told}>
        {toldWebhooks.length === 0 && <span className={styles.muted}>{t('person.noWebhook')}</span>}
        {toldWebhooks.map((told) => (
          <div key={told.id}>
            <ToldWebhook told={told} timeZone={website.timeZone} />
          </div>
        ))}
      </td>
    </tr>
  );
}

/** The recipients of an e-mail and what became of it for each; its state where it had none. */
function EmailOutcome({ email: { state, recipients }, timeZone }: { email: LeadEmail; timeZone: string }) {
  const t = useText();
  if (recipients.length === 0) return <div className={styles.muted}>{t(`email.${state}`)}</div>;
  return recipients.map((recipient) => (
    <div key={recipient.address}>
      <bdi>{recipient.address}</bdi>{' '}
      <Badge tone={RECIPIENT_TONES[recipient.state]}>{t(`recipient.${recipient.state}`)}</Badge>{' '}
      {recipient.at && <Moment at={recipient.at} timeZone={timeZone} />}
    </div>
  ));
}
