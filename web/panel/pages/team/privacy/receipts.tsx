import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { MoreButton } from '../../../parts/buttons/more-button.js';
import { EmptyState } from '../../../parts/feedback/empty-state.js';
import { Loaded } from '../../../parts/feedback/loaded.js';
import { Note } from '../../../parts/feedback/note.js';
import { TextField } from '../../../parts/fields/text-field.js';
import { Form } from '../../../parts/form/form.js';
import { Table } from '../../../parts/layout/table.js';
import { Dialog, DialogActions } from '../../../parts/overlays/dialog.js';
import { Moment } from '../../../parts/time/moment.js';
import { useMayChange } from '../../../session.js';
import styles from '../privacy.module.css';
import { CHECK, type Receipt, receiptsQuery } from './queries.js';

/** The receipts of a team's erasures, each of which can be checked against an address. */
export function Receipts({ teamId }: { teamId: string }) {
  const t = useText();
  const receipts = useInfiniteQuery(receiptsQuery(teamId));
  const [checked, setChecked] = useState<Receipt | null>(null);
  return (
    <>
      <p>{t('receipt.text')}</p>
      <Loaded query={receipts}>
        {({ pages }) => {
          const rows = pages.flatMap(({ edges }) => edges.map(({ node }) => node));
          if (rows.length === 0) return <EmptyState title={t('receipt.none')} />;
          return (
            <Table
              label={t('receipt.title')}
              headings={[
                t('receipt.when'),
                t('receipt.by'),
                t('receipt.what'),
                t('receipt.where'),
                t('receipt.id'),
                '',
              ]}
            >
              {rows.map((receipt) => (
                <ReceiptRow key={receipt.id} receipt={receipt} onCheck={() => setChecked(receipt)} />
              ))}
            </Table>
          );
        }}
      </Loaded>
      <MoreButton query={receipts}>{t('receipt.more')}</MoreButton>
      {checked && <CheckDialog receipt={checked} onClose={() => setChecked(null)} />}
    </>
  );
}

function ReceiptRow({ receipt, onCheck }: { receipt: Receipt; onCheck(): void }) {
  const t = useText();
  const mayChange = useMayChange();
  const { id, erasedByName, startedAt, finishedAt, counts, websites, addressHash } = receipt;
  const emails = counts.notifications + counts.requestedEmails;
  return (
    <tr>
      <td>
        <Moment at={startedAt} />
        {!finishedAt && <div>{t('receipt.unfinished')}</div>}
      </td>
      <td>
        <bdi>{erasedByName ?? t('receipt.noAccount')}</bdi>
      </td>
      <td>
        {t('receipt.counts', {
          leads: counts.submissions,
          emails,
          notes: counts.notes,
          visits: counts.visits,
        })}
        {!!counts.webhookDeliveries && (
          <div>{t('receipt.deliveries', { count: counts.webhookDeliveries })}</div>
        )}
        {!!counts.spamSamples && <div>{t('receipt.samples', { count: counts.spamSamples })}</div>}
        {!!counts.spamRules && <div>{t('receipt.spamRules', { count: counts.spamRules })}</div>}
        {counts.held > 0 && <div>{t('receipt.held', { count: counts.held })}</div>}
      </td>
      <td>
        {websites.map(({ websiteId, submissions, website }) => (
          <div key={websiteId}>
            {t('erase.website', { website: website?.name ?? websiteId, count: submissions })}
          </div>
        ))}
      </td>
      <td className={styles.id}>
        {id}
        <div>{t('receipt.hash', { hash: addressHash })}</div>
      </td>
      <td>
        {mayChange && (
          <Button variant="quiet" aria-label={t('receipt.checkOf', { id })} onPress={onCheck}>
            {t('receipt.checkOne')}
          </Button>
        )}
      </td>
    </tr>
  );
}

function CheckDialog({ receipt, onClose }: { receipt: Receipt; onClose(): void }) {
  const t = useText();
  const { id: receiptId, counts } = receipt;
  const [email, setEmail] = useState('');
  const check = useMutation({
    mutationFn: async (address: string) => (await request(CHECK, { receiptId, email: address })).checkErasure,
  });
  return (
    <Dialog title={t('receipt.check')} isOpen onClose={onClose}>
      <Form
        onSubmit={() => check.mutate(email.trim())}
        error={check.error}
        fieldErrors={({ fields }) => ({ email: fields.email && t('field.email') })}
      >
        <p>{t('receipt.checkText')}</p>
        <TextField
          label={t('person.email')}
          name="email"
          type="email"
          autoComplete="off"
          isRequired
          autoFocus
          value={email}
          onChange={(typed) => {
            setEmail(typed);
            check.reset();
          }}
        />
        <div role="status" className={styles.checked}>
          {check.data && (
            <Note>
              {check.data.matches ? <Erased counts={counts} /> : t('receipt.matchesNot')}{' '}
              {t(check.data.isIntact ? 'receipt.intact' : 'receipt.notIntact')}
            </Note>
          )}
        </div>
        <DialogActions>
          <Button onPress={onClose}>{t('action.close')}</Button>
          <Button type="submit" variant="primary" isPending={check.isPending}>
            {t('receipt.check')}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

/** What an erasure of an address came to: leads under legal hold are not erased. */
function Erased({ counts: { submissions, held } }: Pick<Receipt, 'counts'>) {
  const t = useText();
  return (
    <>
      {t(submissions > 0 || held === 0 ? 'receipt.matches' : 'receipt.matchesHeld')}{' '}
      {held > 0 && t('receipt.held', { count: held })}
    </>
  );
}
