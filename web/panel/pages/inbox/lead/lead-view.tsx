import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, lazyRouteComponent, useNavigate, useParams } from '@tanstack/react-router';
import { Fragment, Suspense, use, useState } from 'react';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { Loaded } from '../../../parts/feedback/loaded.js';
import { Skeleton } from '../../../parts/feedback/skeleton.js';
import { BackIcon } from '../../../parts/icons/icons.js';
import { Moment } from '../../../parts/time/moment.js';
import { inRoom } from '../../../room.js';
import { useMayManage } from '../../../session.js';
import { LeadActions } from './lead-actions.js';
import { LeadContext } from './lead-context.js';
import { deliveryOf } from './lead-delivery.js';
import { LeadEmail } from './lead-email.js';
import { LeadHistory } from './lead-history.js';
import { LeadMessage } from './lead-message.js';
import { LeadNotes } from './lead-notes.js';
import { type Lead, leadQuery } from './lead-queries.js';
import { LeadSpam } from './lead-spam.js';
import styles from './lead-view.module.css';
import { LeadWebhooks } from './lead-webhooks.js';
import { HoldButton, LegalHold } from './legal-hold.js';

const DeleteDialog = inRoom(
  'leadDialogs',
  lazyRouteComponent(() => import('../selection/delete-dialog.js'), 'DeleteDialog'),
);
const EraseDialog = inRoom(
  'leadDialogs',
  lazyRouteComponent(() => import('../../../erase-dialog.js'), 'EraseDialog'),
);
const ForwardDialog = inRoom(
  'leadDialogs',
  lazyRouteComponent(() => import('./forward-dialog.js'), 'ForwardDialog'),
);

/** The lead that is open, with all that is known of it, and what can be done with it. */
export function LeadView() {
  const { id } = useParams({ from: '/shell/inbox/$id' });
  const lead = useQuery(leadQuery(id));
  return (
    <article className={styles.lead}>
      <BackLink />
      <Loaded query={lead} skeleton={<Skeleton lines={8} />}>
        {(read) => <Shown lead={read} />}
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

/** What a dialog asks about a lead. */
type Question = 'forward' | 'delete' | 'erase';

function Shown({ lead }: { lead: Lead }) {
  const t = useText();
  const { changes, setState, isSelecting, heading } = use(LeadContext)!;
  const mayManage = useMayManage(lead.teamId);
  const [asked, setAsked] = useState<{ leadId: string; about: Question } | null>(null);
  const client = useQueryClient();
  const navigate = useNavigate();

  /** Goes back to the list, which no longer has the lead. */
  async function leave(): Promise<void> {
    client.removeQueries({ queryKey: ['lead'] });
    await navigate({ to: '/inbox', search: true });
    await client.resetQueries({ queryKey: ['leads'] });
    await client.invalidateQueries({ queryKey: ['leadCounts'] });
  }

  const ask = (about: Question) => setAsked({ leadId: lead.id, about });
  const close = () => setAsked(null);
  const question = asked?.leadId === lead.id ? asked.about : null;
  // A lead that comes back later is not asked about again.
  if (asked && !question) close();
  const name = lead.summary.title ?? t('lead.nameless');
  const delivery = lead.notification && deliveryOf(lead.notification);
  return (
    <>
      <title>{`${name} · ${t('inbox.title')} · Formgate`}</title>
      <header className={styles.header}>
        <h2 ref={heading} tabIndex={-1} dir="auto">
          {name}
        </h2>
        <p className={styles.origin}>
          <bdi>{lead.website.name}</bdi>
          {'\u00a0· '}
          <bdi>{lead.form.name}</bdi>
          {'\u00a0· '}
          <Moment at={lead.createdAt} timeZone={lead.website.timeZone} />
          {delivery && (
            <>
              {'\u00a0· '}
              <span className={styles.delivery} data-state={delivery}>
                {t(`email.${delivery}`)}
              </span>
            </>
          )}
        </p>
        <LeadActions
          lead={lead}
          mayManage={mayManage}
          isSelecting={isSelecting}
          changes={changes}
          onState={(state) => setState({ id: lead.id, state: lead.state }, state)}
          onForward={() => ask('forward')}
          onDelete={() => ask('delete')}
        />
      </header>
      {/* The header stays as leads change, for its buttons take longest to make anew. What was typed or unfolded goes. */}
      <Fragment key={lead.id}>
        <LegalHold lead={lead} mayManage={mayManage} />
        {lead.needsReview && <p className={styles.review}>{t('lead.reviewText')}</p>}
        <LeadSpam lead={lead} mayManage={mayManage} changes={changes} />
        <LeadMessage lead={lead} />
        <LeadEmail
          lead={lead}
          onResend={
            mayManage
              ? (addresses) =>
                  void changes.sendAgain({ leads: [{ id: lead.id, state: lead.state }] }, true, [
                    ...addresses,
                  ])
              : undefined
          }
          onSend={
            mayManage
              ? () => void changes.sendAgain({ leads: [{ id: lead.id, state: lead.state }] }, true)
              : undefined
          }
        />
        <LeadWebhooks lead={lead} />
        <LeadNotes lead={lead} mayManage={mayManage} />
        <LeadHistory lead={lead} />
        <footer className={styles.footer}>
          {mayManage && !lead.legalHold && <HoldButton submissionId={lead.id} />}
          {mayManage && lead.emails.length > 0 && (
            <>
              <Button onPress={() => ask('erase')}>{t('lead.erase')}</Button>
              <p>{t('lead.eraseHint')}</p>
            </>
          )}
          {lead.emails.map((email) => (
            <Link key={email} to="/privacy" search={({ team }) => ({ team, email })}>
              {t('lead.person', { email })}
            </Link>
          ))}
        </footer>
      </Fragment>
      <Suspense>
        {question === 'forward' && <ForwardDialog lead={lead} onClose={close} />}
        {question === 'delete' && (
          <DeleteDialog
            chosen={{ leads: [{ id: lead.id, state: lead.state }] }}
            names={[lead.summary.title]}
            isHeld={lead.legalHold !== null}
            changes={changes}
            onDeleted={() => void leave()}
            onClose={close}
          />
        )}
        {question === 'erase' && (
          <EraseDialog
            teamId={lead.teamId}
            emails={lead.emails}
            onErased={() => void leave()}
            onClose={close}
          />
        )}
      </Suspense>
    </>
  );
}
