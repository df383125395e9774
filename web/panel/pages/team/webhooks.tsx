import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { MAX_FORMER_SECRETS, MAX_WEBHOOKS } from '../../../../src/webhooks/webhook-limits.js';
import { useCloseDialog } from '../../close-dialog.js';
import { request } from '../../graphql.js';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { EmptyState } from '../../parts/feedback/empty-state.js';
import { ErrorBox } from '../../parts/feedback/error-box.js';
import { describeError } from '../../parts/feedback/error-words.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { Badge } from '../../parts/layout/badge.js';
import { Section } from '../../parts/layout/page.js';
import { Dialog, DialogButtons } from '../../parts/overlays/dialog.js';
import { say } from '../../parts/overlays/toasts.js';
import { Moment } from '../../parts/time/moment.js';
import { isRefusal } from '../../queries.js';
import { useMayManage } from '../../session.js';
import type { Team } from './queries.js';
import { Deliveries } from './webhooks/deliveries.js';
import {
  DELETE_WEBHOOK,
  deliveriesKey,
  ROTATE_SECRET,
  SEND_TEST,
  type Webhook,
  webhooksQuery,
} from './webhooks/queries.js';
import { RedeliverDialog } from './webhooks/redeliver-dialog.js';
import { Secret } from './webhooks/secret.js';
import { WebhookDialog } from './webhooks/webhook-dialog.js';
import styles from './webhooks/webhooks.module.css';

const TONES = { active: 'good', paused: 'neutral', gone: 'danger', failing: 'danger' } as const;

/** The webhooks of a team, each with its deliveries. */
export function WebhooksTab({ team: { id: teamId } }: { team: Team }) {
  const t = useText();
  const webhooks = useQuery(webhooksQuery(teamId));
  const [edited, setEdited] = useState<Webhook | 'new' | null>(null);
  const mayManage = useMayManage(teamId);
  const isFull = (webhooks.data?.length ?? 0) >= MAX_WEBHOOKS;
  return (
    <Section
      title={t('webhooks.title')}
      actions={
        mayManage && !isFull && <Button onPress={() => setEdited('new')}>{t('webhooks.create')}</Button>
      }
    >
      <Loaded query={webhooks}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState title={t('webhooks.none')}>
              <p>{t('webhooks.what')}</p>
            </EmptyState>
          ) : (
            all.map((webhook) => (
              <WebhookItem
                key={webhook.id}
                teamId={teamId}
                webhook={webhook}
                onEdit={() => setEdited(webhook)}
              />
            ))
          )
        }
      </Loaded>
      {edited && (
        <WebhookDialog
          teamId={teamId}
          webhook={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
        />
      )}
    </Section>
  );
}

type ItemProps = Readonly<{ teamId: string; webhook: Webhook; onEdit(): void }>;

/** A webhook: where it leads, how it is, what can be done with it, and its deliveries. */
function WebhookItem({ teamId, webhook, onEdit }: ItemProps) {
  const t = useText();
  const client = useQueryClient();
  const mayManage = useMayManage(teamId);
  const [asked, setAsked] = useState<'delete' | 'rotate' | 'redeliver' | null>(null);
  const test = useMutation({
    mutationFn: () => request(SEND_TEST, { id: webhook.id }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: deliveriesKey(webhook.id) });
      say(t('webhooks.tested'));
    },
    onError: (error) => onRefused(error),
  });
  /** Tells what the item cannot tell: another may have deleted the webhook, and its item goes. */
  const onRefused = (error: Error) => {
    if (!isRefusal(error)) return;
    say(describeError(error, t).text);
    void client.invalidateQueries({ queryKey: webhooksQuery(teamId).queryKey });
  };
  const { url, description, events, websiteIds, formIds, state, failingSince } = webhook;
  const narrowed = websiteIds.length + formIds.length > 0;
  return (
    <article className={styles.webhook} aria-label={url}>
      <h3 className={styles.url} dir="ltr">
        {url}
      </h3>
      {description && <p dir="auto">{description}</p>}
      <p>
        <Badge tone={TONES[state]}>{t(`webhooks.state.${state}`)}</Badge>{' '}
        {state === 'active' && failingSince && (
          <Badge tone="warning">
            {t('webhooks.failingSince')} <Moment at={failingSince} />
          </Badge>
        )}
      </p>
      <p>{events.map((event) => t(`webhookEvent.${event}`)).join(' · ')}</p>
      {narrowed && <p>{t('webhooks.narrowed', { websites: websiteIds.length, forms: formIds.length })}</p>}
      <Gone webhook={webhook} />
      {test.error && <ErrorBox error={test.error} />}
      {mayManage && (
        <div className={styles.actions}>
          <Button onPress={() => test.mutate()} isPending={test.isPending}>
            {t('webhooks.test')}
          </Button>
          <Button onPress={onEdit}>{t('webhooks.edit')}</Button>
          <Button onPress={() => setAsked('rotate')}>{t('webhooks.rotate')}</Button>
          {state === 'active' && (
            <Button onPress={() => setAsked('redeliver')}>{t('webhooks.redeliverSince')}</Button>
          )}
          <Button onPress={() => setAsked('delete')}>{t('webhooks.delete')}</Button>
        </div>
      )}
      <Deliveries webhook={webhook} mayManage={mayManage} onRefused={onRefused} />
      {asked === 'delete' && (
        <DeleteDialog teamId={teamId} webhook={webhook} onClose={() => setAsked(null)} />
      )}
      {asked === 'redeliver' && (
        <RedeliverDialog teamId={teamId} webhook={webhook} onClose={() => setAsked(null)} />
      )}
      {asked === 'rotate' && (
        <RotateDialog teamId={teamId} webhook={webhook} onClose={() => setAsked(null)} />
      )}
    </article>
  );
}

/** How many of the websites, or forms, that a webhook is narrowed to are gone, and whether all are. */
function goneOf(narrowed: readonly { name: string | null }[]) {
  const count = narrowed.filter(({ name }) => name === null).length;
  return { count, isAll: count > 0 && count === narrowed.length };
}

/** Warns of what a webhook is narrowed to and is gone. */
function Gone({ webhook }: { webhook: Webhook }) {
  const t = useText();
  const websites = goneOf(webhook.websites);
  const forms = goneOf(webhook.forms);
  if (websites.count + forms.count === 0) return null;
  return (
    <p>
      {websites.count > 0 && (
        <Badge tone="warning">{t('webhooks.goneWebsites', { count: websites.count })}</Badge>
      )}{' '}
      {forms.count > 0 && <Badge tone="warning">{t('webhooks.goneForms', { count: forms.count })}</Badge>}{' '}
      {(websites.isAll || forms.isAll) && t('webhooks.toldNothing')}
    </p>
  );
}

type DialogProps = Readonly<{ teamId: string; webhook: Webhook; onClose(): void }>;

/** Deletes a webhook once it is said what goes with it. */
function DeleteDialog({ teamId, webhook, onClose }: DialogProps) {
  const t = useText();
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => request(DELETE_WEBHOOK, { id: webhook.id }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: webhooksQuery(teamId).queryKey });
      say(t('webhooks.deleted'));
      onClose();
    },
  });
  const close = useCloseDialog(remove, webhooksQuery(teamId).queryKey, onClose);
  return (
    <Dialog title={t('webhooks.deleteTitle')} isOpen onClose={close} isPending={remove.isPending}>
      <p className={styles.url}>{t('webhooks.deleteText', { url: webhook.url })}</p>
      {remove.error && <ErrorBox error={remove.error} />}
      <DialogButtons action={t('webhooks.delete')} variant="danger" onPress={() => remove.mutate()} />
    </Dialog>
  );
}

/** Draws a new secret once it is said how long the one before it still signs, and shows it. */
function RotateDialog({ teamId, webhook, onClose }: DialogProps) {
  const t = useText();
  const client = useQueryClient();
  const rotate = useMutation({
    mutationFn: async () => (await request(ROTATE_SECRET, { id: webhook.id })).rotateWebhookSecret.secret,
    onSettled: (_secret, error) => {
      // After a conflict as well, so that the reason shows.
      if (!isRefusal(error)) void client.invalidateQueries({ queryKey: webhooksQuery(teamId).queryKey });
    },
    gcTime: 0,
  });
  const close = useCloseDialog(rotate, webhooksQuery(teamId).queryKey, onClose);
  const { formerSecretsUntil } = webhook;
  const firstEnd = formerSecretsUntil.at(-1);
  const isFull = formerSecretsUntil.length >= MAX_FORMER_SECRETS;
  if (rotate.data) {
    return (
      <Dialog title={t('webhooks.secret')} isOpen>
        <Secret secret={rotate.data} onKept={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title={t('webhooks.rotate')} isOpen onClose={close} isPending={rotate.isPending}>
      <p>{t('webhooks.rotateText')}</p>
      {firstEnd && (
        <p>
          {t('webhooks.formerSecrets', { count: formerSecretsUntil.length })} <Moment at={firstEnd} />
        </p>
      )}
      {isFull && <p>{t('webhooks.rotateLater', { count: MAX_FORMER_SECRETS })}</p>}
      {rotate.error && <ErrorBox error={rotate.error} />}
      <DialogButtons action={t('webhooks.rotate')} isDisabled={isFull} onPress={() => rotate.mutate()} />
    </Dialog>
  );
}
