import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { closedSummary } from '../../parts/closed-summary.js';
import { Badge } from '../../parts/layout/badge.js';
import { Moment } from '../../parts/time/moment.js';
import { manages, useViewer } from '../../session.js';
import { ActionLink } from './action-link.js';
import { ExpectDialog } from './expect-dialog.js';
import styles from './item-list.module.css';
import type { Item } from './queries.js';

const TONES = { URGENT: 'danger', WARNING: 'warning', NOTICE: 'neutral' } as const;

/** The items, the most urgent first. */
export function ItemList({ items }: { items: readonly Item[] }) {
  const t = useText();
  const [expected, setExpected] = useState<Item | null>(null);
  return (
    <>
      <ul className={styles.list} aria-label={t('attention.list')}>
        {items.map((item) => (
          <Entry key={item.id} item={item} onExpect={() => setExpected(item)} />
        ))}
      </ul>
      {expected?.websiteId && (
        <ExpectDialog
          kind={expected.kind}
          websiteId={expected.websiteId}
          name={expected.website?.name ?? ''}
          onClose={() => setExpected(null)}
        />
      )}
    </>
  );
}

function Entry({ item, onExpect }: { item: Item; onExpect(): void }) {
  const t = useText();
  const viewer = useViewer();
  const { kind, severity, since, summary, teamId, websiteId, website } = item;
  const mayExpect = websiteId !== null && teamId !== null && manages(viewer, teamId);
  return (
    <li className={styles.item}>
      <div className={styles.words}>
        <p className={styles.summary}>
          <Badge tone={TONES[severity]}>{t(`attention.severity.${severity}`)}</Badge> {closedSummary(summary)}
        </p>
        <p className={styles.about}>
          <About item={item} hasTeam={viewer.staff} />{' '}
          <span>
            {t('attention.since')} <Moment at={since} {...(website && { timeZone: website.timeZone })} />
          </span>
        </p>
      </div>
      <div className={styles.actions}>
        {mayExpect && (
          <Button
            variant="quiet"
            onPress={onExpect}
            aria-label={t('attention.expectOf', {
              name: website?.name ?? '',
              kind: t(`health.kind.${kind}`),
            })}
          >
            {t('attention.expect')}
          </Button>
        )}
        <ActionLink item={item} />
      </div>
    </li>
  );
}

/** What an item is about: the website, the form, the team; nothing for the whole installation. */
function About({
  item: { website, websiteId, form, formId, team },
  hasTeam,
}: {
  item: Item;
  hasTeam: boolean;
}) {
  const t = useText();
  if (!team) return <span>{t('attention.installation')}</span>;
  return (
    <>
      {website && websiteId && (
        <Link to="/websites/$websiteId" params={{ websiteId }}>
          <bdi>{website.name}</bdi>
        </Link>
      )}{' '}
      {form && formId && (
        <Link to="/forms/$formId" params={{ formId }}>
          <bdi>{form.name}</bdi>
        </Link>
      )}{' '}
      {(hasTeam || !(website || form)) && <bdi>{team.name}</bdi>}
    </>
  );
}
