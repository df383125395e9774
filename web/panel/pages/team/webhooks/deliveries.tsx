import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useIntl } from 'react-intl';
import { request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { MoreButton } from '../../../parts/buttons/more-button.js';
import { classes } from '../../../parts/classes.js';
import { ErrorBox } from '../../../parts/feedback/error-box.js';
import { Loaded } from '../../../parts/feedback/loaded.js';
import { Badge } from '../../../parts/layout/badge.js';
import { say } from '../../../parts/overlays/toasts.js';
import { Moment } from '../../../parts/time/moment.js';
import { DELIVERY_TONES, eventTextOf } from '../../../parts/webhook/webhook-event.js';
import { isAttemptFault, shortFault } from './attempt-faults.js';
import { type Delivery, deliveriesKey, REDELIVER, readDeliveries, type Webhook } from './queries.js';
import styles from './webhooks.module.css';

/** How often deliveries are read again while one of those shown waits. */
const READ_AGAIN_MS = 3_000;

type Props = { webhook: Webhook; mayManage: boolean; onRefused(error: Error): void };

/** The deliveries of a webhook, the newest first, each with its request and its attempts. */
export function Deliveries({ webhook, mayManage, onRefused }: Props) {
  const t = useText();
  const deliveries = useInfiniteQuery({
    queryKey: deliveriesKey(webhook.id),
    queryFn: ({ pageParam, signal }) => readDeliveries(webhook.id, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : null),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ edges }) => edges.some(({ node }) => node.state === 'pending'))
        ? READ_AGAIN_MS
        : false,
  });
  return (
    <Loaded query={deliveries}>
      {({ pages }) => {
        const all = pages.flatMap(({ edges }) => edges.map(({ node }) => node));
        if (all.length === 0) return <p>{t('webhooks.noDelivery')}</p>;
        return (
          <>
            <ol className={styles.deliveries} aria-label={t('webhooks.deliveries')}>
              {all.map((delivery) => (
                <DeliveryItem
                  key={delivery.id}
                  delivery={delivery}
                  webhook={webhook}
                  mayManage={mayManage}
                  onRefused={onRefused}
                />
              ))}
            </ol>
            <MoreButton query={deliveries}>{t('webhooks.more')}</MoreButton>
          </>
        );
      }}
    </Loaded>
  );
}

/** A header that was sent, by which a receiver's log has the request. */
const Header = ({ name, value }: { name: string; value: string }) => (
  <p className={styles.header} dir="ltr" translate="no">
    <code>
      {name}: {value}
    </code>
  </p>
);

/** A delivery: what became of it, what was sent, and what the receiver answered to each attempt. */
function DeliveryItem({ delivery, webhook, mayManage, onRefused }: Props & { delivery: Delivery }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const client = useQueryClient();
  const redeliver = useMutation({
    mutationFn: async () => (await request(REDELIVER, { id: webhook.id, deliveryId: delivery.id })).redeliver,
    onSuccess: async (count) => {
      await client.invalidateQueries({ queryKey: deliveriesKey(webhook.id) });
      say(t(count > 0 ? 'webhooks.redelivered' : 'webhooks.beingSent'));
    },
    onError: onRefused,
  });
  const wordsOf = (fault: string | null) =>
    fault && (isAttemptFault(fault) ? t(`webhooks.fault.${fault}`) : fault);
  const { id, type, submissionId, state, attempts, createdAt, nextAttemptAt, body } = delivery;
  const eventText = eventTextOf(type);
  const latest = attempts.at(-1);
  return (
    <li>
      <details>
        <summary>
          <span title={type}>{eventText ? t(eventText) : type}</span>{' '}
          <Badge tone={DELIVERY_TONES[state]}>{t(`webhookEvent.state.${state}`)}</Badge>{' '}
          {latest && <strong>{latest.status ?? t(shortFault(latest.fault))}</strong>}{' '}
          <Moment at={createdAt} />
        </summary>
        {submissionId && (
          <p>
            <Link
              className={styles.lead}
              to="/inbox/$id"
              params={{ id: submissionId }}
              search={({ team }) => ({ team })}
            >
              {t('webhooks.lead')}
            </Link>
          </p>
        )}
        <h4>{t('webhooks.request')}</h4>
        <Header name="webhook-id" value={id} />
        <pre className={styles.code} dir="ltr" translate="no">
          <code>{body}</code>
        </pre>
        <h4>{t('webhooks.attempts')}</h4>
        <ol className={styles.attempts}>
          {attempts.map(({ number, status, fault, answer, startedAt, timestamp, durationMs }) => (
            <li key={number}>
              <Moment at={startedAt} /> · <strong>{status ?? wordsOf(fault)}</strong> ·{' '}
              {formatNumber(durationMs, { style: 'unit', unit: 'millisecond' })}
              <Header name="webhook-timestamp" value={timestamp} />
              {/* What is recorded of a timeout is the sentence above, in English. */}
              {answer && fault !== 'timeout' && (
                // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
                <pre className={classes(styles.code, styles.answer)} dir="auto" tabIndex={0}>
                  {answer}
                </pre>
              )}
            </li>
          ))}
          {nextAttemptAt && (
            <li>
              {t('webhooks.next')} <Moment at={nextAttemptAt} />
            </li>
          )}
          {state === 'pending' && !nextAttemptAt && <li>{t('webhooks.beingSent')}</li>}
        </ol>
        {redeliver.error && <ErrorBox error={redeliver.error} />}
        {mayManage && (state !== 'pending' || attempts.length > 0) && webhook.state === 'active' && (
          <Button onPress={() => redeliver.mutate()} isPending={redeliver.isPending}>
            {t(state === 'pending' ? 'webhooks.tryNow' : 'webhooks.redeliver')}
          </Button>
        )}
      </details>
    </li>
  );
}
