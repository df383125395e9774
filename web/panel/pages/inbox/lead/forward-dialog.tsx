import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useIntl } from 'react-intl';
import { graphql, request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { Note } from '../../../parts/feedback/note.js';
import { TextArea } from '../../../parts/fields/text-area.js';
import { TextField } from '../../../parts/fields/text-field.js';
import { Form } from '../../../parts/form/form.js';
import { Dialog, DialogButtons } from '../../../parts/overlays/dialog.js';
import { say } from '../../../parts/overlays/toasts.js';
import { addressesOf } from '../../../parts/recipients/addresses.js';
import { type Lead, leadQuery } from './lead-queries.js';

const FORWARD = graphql(`
  mutation forwardSubmission($submissionId: ID!, $recipients: [String!]!, $note: String) {
    forwardSubmission(submissionId: $submissionId, recipients: $recipients, note: $note) {
      outcome
    }
  }
`);

/** What the gateway takes. */
const MAX_NOTE = 2_000;

/** Sends a lead to other addresses, with a note above it. */
export function ForwardDialog({ lead, onClose }: { lead: Lead; onClose(): void }) {
  const t = useText();
  const { formatList } = useIntl();
  const client = useQueryClient();
  const [addresses, setAddresses] = useState('');
  const [note, setNote] = useState('');
  const recipients = addressesOf(addresses);
  const forward = useMutation({
    mutationFn: async () =>
      (await request(FORWARD, { submissionId: lead.id, recipients, note: note.trim() || null }))
        .forwardSubmission.outcome,
    onSuccess: async (outcome) => {
      if (outcome === 'quota_used_up') return;
      say(t('forward.sent', { count: recipients.length }));
      onClose();
      await client.invalidateQueries({ queryKey: leadQuery(lead.id).queryKey });
    },
  });
  /** Says which of the addresses the gateway refuses, by their positions in the paths of the faults. */
  const faultOf = (paths: readonly string[]): string | false => {
    const wrong = recipients.filter((_, index) => paths.includes(`recipients.${index}`));
    if (wrong.length > 0) {
      return t('forward.wrong', { count: wrong.length, addresses: formatList(wrong) });
    }
    return paths.some((path) => path.startsWith('recipients')) && t('forward.fault');
  };
  return (
    <Dialog title={t('forward.title')} isOpen onClose={onClose} isPending={forward.isPending}>
      <Form
        error={forward.error}
        fieldErrors={({ fields }) => ({ recipients: faultOf(Object.keys(fields)) })}
        onSubmit={() => forward.mutate()}
      >
        <TextField
          label={t('forward.to')}
          hint={t('forward.hint')}
          name="recipients"
          autoFocus
          isRequired
          value={addresses}
          onChange={setAddresses}
        />
        <TextArea label={t('forward.note')} value={note} onChange={setNote} maxLength={MAX_NOTE} />
        {forward.data === 'quota_used_up' && (
          <div role="alert">
            <Note>{t('forward.quotaUsedUp')}</Note>
          </div>
        )}
        <DialogButtons action={t('forward.submit')} />
      </Form>
    </Dialog>
  );
}
