import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { graphql, request } from '../../graphql.js';
import { useText } from '../../language.js';
import { Button } from '../../parts/button.js';
import { Dialog, DialogActions } from '../../parts/dialog.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Form } from '../../parts/form.js';
import { Moment } from '../../parts/moment.js';
import { TextArea } from '../../parts/text-area.js';
import { say } from '../../parts/toasts.js';
import styles from './lead-view.module.css';
import { type Lead, leadQuery } from './queries.js';

const SET = graphql(`
  mutation setLegalHold($submissionId: ID!, $reason: String!) {
    setLegalHold(submissionId: $submissionId, reason: $reason)
  }
`);

const RELEASE = graphql(`
  mutation releaseLegalHold($submissionId: ID!) {
    releaseLegalHold(submissionId: $submissionId)
  }
`);

/** What the gateway takes. */
const MAX_REASON = 500;

type Props = { lead: Lead; mayManage: boolean };

/** The legal hold of a lead: since when and why, and the buttons that set and release it. */
export function LegalHold({ lead, mayManage }: Props) {
  const t = useText();
  const client = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const { id: submissionId, legalHold, website } = lead;
  const release = useMutation({
    mutationFn: () => request(RELEASE, { submissionId }),
    onSuccess: () => {
      say(t('hold.released'));
      return client.invalidateQueries(leadQuery(submissionId));
    },
  });
  return (
    <>
      {legalHold && (
        <div className={styles.hold}>
          <p>
            {t('hold.since')} <Moment at={legalHold.since} timeZone={website.timeZone} />:{' '}
            <bdi>{legalHold.reason}</bdi>
          </p>
          {mayManage && (
            <Button onPress={() => release.mutate()} isPending={release.isPending}>
              {t('hold.release')}
            </Button>
          )}
          {release.error && <ErrorBox error={release.error} />}
        </div>
      )}
      {!legalHold && mayManage && (
        <p className={styles.holding}>
          <Button variant="quiet" onPress={() => setAsking(true)}>
            {t('hold.set')}
          </Button>
        </p>
      )}
      {isAsking && <HoldDialog submissionId={submissionId} onClose={() => setAsking(false)} />}
    </>
  );
}

function HoldDialog({ submissionId, onClose }: { submissionId: string; onClose(): void }) {
  const t = useText();
  const client = useQueryClient();
  const [reason, setReason] = useState('');
  const set = useMutation({
    mutationFn: () => request(SET, { submissionId, reason }),
    onSuccess: async () => {
      await client.invalidateQueries(leadQuery(submissionId));
      say(t('hold.isSet'));
      onClose();
    },
  });
  return (
    <Dialog title={t('hold.set')} isOpen onClose={onClose}>
      <Form onSubmit={set.mutate} error={set.error}>
        <p>{t('hold.text')}</p>
        <TextArea
          label={t('hold.reason')}
          name="reason"
          isRequired
          autoFocus
          maxLength={MAX_REASON}
          value={reason}
          onChange={setReason}
        />
        <DialogActions>
          <Button onPress={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="primary" isPending={set.isPending} isDisabled={!reason.trim()}>
            {t('hold.submit')}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
