import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { Checkbox } from '../../../parts/fields/checkbox.js';
import field from '../../../parts/fields/field.module.css';
import { TextField } from '../../../parts/fields/text-field.js';
import { Form } from '../../../parts/form/form.js';
import { changesOf } from '../../../parts/merge/changes-of.js';
import { isSame } from '../../../parts/merge/same.js';
import { Dialog, DialogButtons } from '../../../parts/overlays/dialog.js';
import { say } from '../../../parts/overlays/toasts.js';
import { EVENTS } from '../../../parts/webhook/webhook-event.js';
import { type Narrowing, NarrowingFields } from './narrowing.js';
import { CREATE_WEBHOOK, UPDATE_WEBHOOK, type Webhook, type WebhookEvent, webhooksQuery } from './queries.js';
import { Secret } from './secret.js';

type Props = Readonly<{
  teamId: string;
  /** Null: a new one. */
  webhook: Webhook | null;
  onClose(): void;
}>;

const settingsOf = ({ url, description, events, websiteIds, formIds, state }: Webhook) => ({
  url,
  description,
  events,
  websiteIds,
  formIds,
  enabled: state === 'active',
});

/** Creates a webhook, whose secret it then shows once, or changes the settings of one. */
export function WebhookDialog({ teamId, webhook, onClose }: Props) {
  const t = useText();
  const client = useQueryClient();
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [description, setDescription] = useState(webhook?.description ?? '');
  const [events, setEvents] = useState<readonly WebhookEvent[]>(webhook?.events ?? ['submission_created']);
  const [enabled, setEnabled] = useState(!webhook || webhook.state === 'active');
  const [narrowing, setNarrowing] = useState<Narrowing>(webhook ?? { websiteIds: [], formIds: [] });
  const narrowed = { websiteIds: [...narrowing.websiteIds], formIds: [...narrowing.formIds] };
  const draft = { ...narrowed, url: url.trim(), description, events: [...events], enabled };
  const latest = useRef(draft);
  latest.current = draft;
  // As the editing has found it or saved it last.
  const [before, setBefore] = useState(webhook && settingsOf(webhook));
  const save = useMutation({
    mutationFn: async (input: typeof draft): Promise<string | null> => {
      if (!webhook || !before) return (await request(CREATE_WEBHOOK, { teamId, input })).createWebhook.secret;
      // All settings are replaced, so that what was not changed here is sent as a colleague may have left it.
      const all = await client.fetchQuery({ ...webhooksQuery(teamId), staleTime: 0 });
      const present = all.find(({ id }) => id === webhook.id) ?? webhook;
      await request(UPDATE_WEBHOOK, {
        id: webhook.id,
        input: { ...settingsOf(present), ...changesOf(before, input) },
      });
      return null;
    },
    onSuccess: async (secret, sent) => {
      const isRead = client.invalidateQueries({ queryKey: webhooksQuery(teamId).queryKey });
      // A secret does not wait for the list.
      if (secret !== null) return;
      await isRead;
      say(t('webhooks.saved'));
      if (isSame(latest.current, sent)) return onClose();
      // What was typed while it was sent stays, to be saved next.
      setBefore(sent);
    },
    // The secret is in no cache once the dialog is closed.
    gcTime: 0,
  });
  if (save.data) {
    return (
      <Dialog title={t('webhooks.secret')} isOpen>
        <Secret secret={save.data} onKept={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog
      title={t(webhook ? 'webhooks.editOne' : 'webhooks.create')}
      isOpen
      onClose={onClose}
      isPending={save.isPending}
    >
      <Form
        onSubmit={() => save.mutate(draft)}
        error={save.error}
        fieldErrors={({ fields }) => ({ url: fields['input.url'] && t('webhooks.urlRule') })}
      >
        <TextField
          label={t('webhooks.url')}
          hint={t('webhooks.urlHint')}
          name="url"
          type="url"
          autoFocus
          isRequired
          value={url}
          onChange={setUrl}
          maxLength={2048}
        />
        <TextField
          label={t('webhooks.description')}
          name="description"
          value={description}
          onChange={setDescription}
          maxLength={255}
        />
        <fieldset className={field.field}>
          <legend className={field.label}>{t('webhooks.events')}</legend>
          {EVENTS.map((event) => (
            <Checkbox
              key={event}
              label={t(`webhookEvent.${event}`)}
              isSelected={events.includes(event)}
              onChange={(isOn) =>
                setEvents(EVENTS.filter((one) => (one === event ? isOn : events.includes(one))))
              }
            />
          ))}
        </fieldset>
        <NarrowingFields teamId={teamId} webhook={webhook} value={narrowing} onChange={setNarrowing} />
        {webhook && <Checkbox label={t('webhooks.enabled')} isSelected={enabled} onChange={setEnabled} />}
        <DialogButtons
          action={t(webhook ? 'action.save' : 'webhooks.create')}
          isDisabled={events.length === 0}
        />
      </Form>
    </Dialog>
  );
}
