import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type RefObject, useState } from 'react';
import { EraseDialog } from '../../erase-dialog.js';
import { useText } from '../../language.js';
import { Button } from '../../parts/button.js';
import { BackIcon } from '../../parts/icons.js';
import { Loaded } from '../../parts/loaded.js';
import { Moment } from '../../parts/moment.js';
import { Skeleton } from '../../parts/skeleton.js';
import { useMayManage } from '../../session.js';
import type { Changes } from './changes.js';
import { ForwardDialog } from './forward-dialog.js';
import { LeadActions } from './lead-actions.js';
import { LeadEmail } from './lead-email.js';
import { LeadHistory } from './lead-history.js';
import { LeadMessage } from './lead-message.js';
import { LeadNotes } from './lead-notes.js';
import { LeadSpam } from './lead-spam.js';
import styles from './lead-view.module.css';
import { LegalHold } from './legal-hold.js';
import { type Lead, leadQuery } from './queries.js';

type Props = {
  id: string;
  changes: Changes;
  /** Whether its buttons show; they do not while those of a selection do. */
  hasActions: boolean;
  /** Gets the focus when the lead is opened. */
  heading: RefObject<HTMLHeadingElement | null>;
};

/** A lead with all that is known of it, and what can be done with it. */
export function LeadView({ id, changes, hasActions, heading }: Props) {
  const lead = useQuery(leadQuery(id));
  return (
    <article className={styles.lead} key={id}>
      <BackLink />
      <Loaded query={lead} skeleton={<Skeleton lines={8} />}>
        {(read) => <Shown lead={read} changes={changes} hasActions={hasActions} heading={heading} />}
      </Loaded>
    </article>
  );
}

/** On a narrow screen the list is behind the lead. */
function BackLink() {
  const t = useText();
  return (
    <Link to="/inbox" search={true} className={styles.back}>
      <BackIcon />
      {t('lead.back')}
    </Link>
  );
}

function Shown({ lead, changes, hasActions, heading }: Omit<Props, 'id'> & { lead: Lead }) {
  const t = useText();
  const mayManage = useMayManage(lead.teamId);
  const [isForwarding, setForwarding] = useState(false);
  const [isErasing, setErasing] = useState(false);
  const client = useQueryClient();
  const navigate = useNavigate();

  /** Goes back to the list, which no longer has the lead. */
  async function leave(): Promise<void> {
    client.removeQueries({ queryKey: ['lead'] });
    await navigate({ to: '/inbox', search: true });
    await client.resetQueries({ queryKey: ['leads'] });
    await client.invalidateQueries({ queryKey: ['leadCounts'] });
  }

  const name = lead.summary.title ?? t('lead.nameless');
  return (
    <>
      <title>{`${name} · ${t('inbox.title')} · Formgate`}</title>
      <header className={styles.header}>
        <h2 ref={heading} tabIndex={-1} dir="auto">
          {name}
        </h2>
        <p className={styles.origin}>
          <bdi>{lead.website.name}</bdi> · <bdi>{lead.form.name}</bdi> ·{' '}
          <Moment at={lead.createdAt} timeZone={lead.website.timeZone} />
        </p>
        {hasActions && (
          <LeadActions
            lead={lead}
            mayManage={mayManage}
            changes={changes}
            onForward={() => setForwarding(true)}
          />
        )}
      </header>
      <LegalHold lead={lead} mayManage={mayManage} />
      {lead.needsReview && <p className={styles.review}>{t('lead.reviewText')}</p>}
      <LeadSpam lead={lead} mayManage={mayManage} changes={changes} />
      <LeadMessage lead={lead} />
      <LeadEmail
        lead={lead}
        onResend={
          mayManage
            ? (address) =>
                void changes.sendAgain({ leads: [{ id: lead.id, state: lead.state }] }, true, [address])
            : undefined
        }
      />
      <LeadNotes lead={lead} mayManage={mayManage} />
      <LeadHistory lead={lead} />
      {lead.emails.length > 0 && (
        <footer className={styles.footer}>
          {mayManage && <Button onPress={() => setErasing(true)}>{t('erase.button')}</Button>}
          {mayManage && <p>{t('erase.hint')}</p>}
          {lead.emails.map((email) => (
            <Link key={email} to="/privacy" search={({ team }) => ({ team, email })}>
              {t('lead.person', { email })}
            </Link>
          ))}
        </footer>
      )}
      {isForwarding && <ForwardDialog lead={lead} onClose={() => setForwarding(false)} />}
      {isErasing && (
        <EraseDialog
          teamId={lead.teamId}
          emails={lead.emails}
          onErased={() => void leave()}
          onClose={() => setErasing(false)}
        />
      )}
    </>
  );
}
