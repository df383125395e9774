import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useCloseDialog } from '../../../close-dialog.js';
import { request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { TextField } from '../../../parts/fields/text-field.js';
import { Form } from '../../../parts/form/form.js';
import { Dialog, DialogButtons } from '../../../parts/overlays/dialog.js';
import { say } from '../../../parts/overlays/toasts.js';
import { deliveriesKey, REDELIVER_SINCE, type Webhook, webhooksQuery } from './queries.js';

type Props = Readonly<{ teamId: string; webhook: Webhook; onClose(): void }>;

/** Sends all deliveries of a webhook again whose event happened since a time. */
export function RedeliverDialog({ teamId, webhook, onClose }: Props) {
  const t = useText();
  const client = useQueryClient();
  const [since, setSince] = useState('');
  const redeliver = useMutation({
    mutationFn: async () =>
      (await request(REDELIVER_SINCE, { id: webhook.id, since: new Date(since).toISOString() })).redeliver,
    onSuccess: async (count) => {
      await client.invalidateQueries({ queryKey: deliveriesKey(webhook.id) });
      say(t('webhooks.redeliveredCount', { count }));
      onClose();
    },
  });
  const close = useCloseDialog(redeliver, webhooksQuery(teamId).queryKey, onClose);
  return (
    <Dialog title={t('webhooks.redeliverSince')} isOpen onClose={close} isPending={redeliver.isPending}>
      <Form onSubmit={() => redeliver.mutate()} error={redeliver.error}>
        <p>{t('webhooks.redeliverSinceText')}</p>
        <TextField
          label={t('webhooks.since')}
          name="since"
          type="datetime-local"
          autoFocus
          isRequired
          value={since}
          onChange={setSince}
        />
        <DialogButtons action={t('webhooks.redeliver')} />
      </Form>
    </Dialog>
  );
}
