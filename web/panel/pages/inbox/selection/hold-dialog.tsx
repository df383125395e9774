import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { TextArea } from '../../../parts/fields/text-area.js';
import { Form } from '../../../parts/form/form.js';
import { Dialog, DialogButtons } from '../../../parts/overlays/dialog.js';
import { say } from '../../../parts/overlays/toasts.js';
import { leadQuery, SET_LEGAL_HOLD } from '../lead/lead-queries.js';

/** What the gateway takes. */
const MAX_REASON = 500;

/** Asks why a lead is to be kept, and puts it under legal hold. */
export function HoldDialog({ submissionId, onClose }: { submissionId: string; onClose(): void }) {
  const t = useText();
  const client = useQueryClient();
  const [reason, setReason] = useState('');
  const set = useMutation({
    mutationFn: () => request(SET_LEGAL_HOLD, { submissionId, reason }),
    onSuccess: async ({ setLegalHold: isSet }) => {
      await client.invalidateQueries(leadQuery(submissionId));
      say(t(isSet ? 'hold.isSet' : 'hold.stays'));
      onClose();
    },
  });
  return (
    <Dialog title={t('hold.set')} isOpen onClose={onClose} isPending={set.isPending}>
      <Form onSubmit={set.mutate} error={set.error}>
        <p>{t('holding.text')}</p>
        <TextArea
          label={t('holding.reason')}
          name="reason"
          isRequired
          autoFocus
          maxLength={MAX_REASON}
          value={reason}
          onChange={setReason}
        />
        <DialogButtons action={t('holding.submit')} isDisabled={!reason.trim()} />
      </Form>
    </Dialog>
  );
}
