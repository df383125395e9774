import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useIntl } from 'react-intl';
import { graphql, request } from '../../graphql.js';
import { useText } from '../../language.js';
import { Button } from '../../parts/button.js';
import { Dialog, DialogButtons } from '../../parts/dialog.js';
import { ErrorBox } from '../../parts/error-box.js';
import { describeError } from '../../parts/error-words.js';
import { Form } from '../../parts/form.js';
import { Moment } from '../../parts/moment.js';
import { TextArea } from '../../parts/text-area.js';
import { say, sayOnce } from '../../parts/toasts.js';
import { type Lead, leadQuery } from './lead-queries.js';
import styles from './lead-view.module.css';

const SET = graphql(`
  mutation setLegalHold($submissionId: ID!, $reason: String!) {
    setLegalHold(submissionId: $submissionId, reason: $reason, unlessHeld: true)
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

/** The legal hold of a lead: since when and why, and the button that releases it. */
export function LegalHold({ lead, mayManage }: Props) {
  const t = useText();
  const { formatMessage } = useIntl();
  const client = useQueryClient();
  const { id: submissionId, legalHold, website } = lead;
  const readAgain = () => client.invalidateQueries(leadQuery(submissionId));
  const holdAgain = useMutation({
    mutationFn: (reason: string) => request(SET, { submissionId, reason }),
    onSuccess({ setLegalHold: isSet }) {
      if (!isSet) say(t('hold.stays'));
      return readAgain();
    },
    onError: (error) => say(describeError(error, t).text),
  });
  const release = useMutation({
    mutationFn: (_reason: string) => request(RELEASE, { submissionId }),
    onSuccess: (answer, reason) => {
      sayOnce(answer, t('hold.released'), () => holdAgain.mutate(reason));
      return readAgain();
    },
  });
  if (!legalHold) return null;
  return (
    <div className={styles.hold}>
      <p>
        {formatMessage(
          { id: 'hold.since' },
          {
            since: <Moment at={legalHold.since} timeZone={website.timeZone} />,
            reason: <bdi>{legalHold.reason}</bdi>,
          },
        )}
      </p>
      {mayManage && (
        <Button onPress={() => release.mutate(legalHold.reason)} isPending={release.isPending}>
          {t('hold.release')}
        </Button>
      )}
      {release.error && <ErrorBox error={release.error} />}
    </div>
  );
}

/** The button that puts a lead under legal hold, after it has asked why. */
export function HoldButton({ submissionId }: { submissionId: string }) {
  const t = useText();
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button onPress={() => setAsking(true)}>{t('hold.set')}</Button>
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
    onSuccess: async ({ setLegalHold: isSet }) => {
      await client.invalidateQueries(leadQuery(submissionId));
      say(t(isSet ? 'hold.isSet' : 'hold.stays'));
      onClose();
    },
  });
  return (
    <Dialog title={t('hold.set')} isOpen onClose={onClose} isPending={set.isPending}>
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
        <DialogButtons action={t('hold.submit')} isDisabled={!reason.trim()} />
      </Form>
    </Dialog>
  );
}
