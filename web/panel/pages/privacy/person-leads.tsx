import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useText } from '../../language.js';
import { Button } from '../../parts/button.js';
import { Loaded } from '../../parts/loaded.js';
import { Moment } from '../../parts/moment.js';
import { Table } from '../../parts/table.js';
import styles from '../privacy.module.css';
import { type PersonLead, personLeadsQuery } from './queries.js';

/** The leads of a person in a team: what was agreed to with each, and which e-mails were sent about it. */
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
              ...[t('person.lead'), t('person.received'), t('person.place')],
              ...[t('person.consents'), t('person.emails')],
            ]}
          >
            {pages.flatMap(({ edges }) => edges.map(({ node }) => <LeadRow key={node.id} lead={node} />))}
          </Table>
        )}
      </Loaded>
      {leads.hasNextPage && (
        <Button onPress={() => void leads.fetchNextPage()} isPending={leads.isFetchingNextPage}>
          {t('person.more')}
        </Button>
      )}
    </div>
  );
}

function LeadRow({ lead }: { lead: PersonLead }) {
  const t = useText();
  const { id, createdAt, website, form, consents, notification, requestedEmails } = lead;
  const sent = [notification, ...requestedEmails].flatMap((email) => (email?.sentAt ? [email.sentAt] : []));
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
      <td>
        {sent.length === 0 && <span className={styles.muted}>{t('person.noEmail')}</span>}
        {sent.map((at) => (
          <div key={at}>
            <Moment at={at} timeZone={website.timeZone} />
          </div>
        ))}
      </td>
    </tr>
  );
}
