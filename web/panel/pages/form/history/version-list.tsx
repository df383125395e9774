import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useText } from '../../../language.js';
import { MoreButton } from '../../../parts/buttons/more-button.js';
import { EmptyState } from '../../../parts/feedback/empty-state.js';
import { Loaded } from '../../../parts/feedback/loaded.js';
import { Badge } from '../../../parts/layout/badge.js';
import { Moment } from '../../../parts/time/moment.js';
import type { SavedForm } from '../queries.js';
import { useSummary } from './change-words.js';
import styles from './history.module.css';
import { type ListedVersion, type VersionFacts, versionsQuery } from './queries.js';

/** Returns the function that names who saved a version: a person, or the door that it came by. */
export function useSaver(): (version: VersionFacts) => string {
  const t = useText();
  return ({ savedByName, channel }) =>
    savedByName ?? t(channel ? `versions.by.${channel}` : 'versions.by.unknown');
}

/** The versions of a form, the latest first: who saved each, when, and what it changed. */
export function VersionList({ form: { id, version: present } }: { form: SavedForm }) {
  const t = useText();
  const versions = useInfiniteQuery(versionsQuery(id, present));
  return (
    <>
      <Loaded query={versions}>
        {({ pages }) => {
          const rows = pages.flatMap(({ edges }) => edges.map(({ node }) => node));
          if (rows.length === 0) {
            return (
              <EmptyState title={t('versions.none')}>
                <p>{t('versions.noneText')}</p>
              </EmptyState>
            );
          }
          return (
            <>
              <ol className={styles.versions} aria-label={t('versions.label')}>
                {rows.map((version) => (
                  <Item key={version.version} version={version} isPresent={version.version === present} />
                ))}
              </ol>
              {!versions.hasNextPage && <p className={styles.muted}>{t('versions.kept')}</p>}
            </>
          );
        }}
      </Loaded>
      <MoreButton query={versions}>{t('versions.older')}</MoreButton>
    </>
  );
}

function Item({ version, isPresent }: { version: ListedVersion; isPresent: boolean }) {
  const t = useText();
  const saverOf = useSaver();
  const summary = useSummary();
  const { version: number, savedAt, previousVersion, sameAs, changeCount, changes } = version;
  return (
    <li>
      <p className={styles.facts}>
        <Link to="." search={(given) => ({ ...given, since: undefined, version: number })}>
          {t('form.version', { version: number })}
        </Link>
        {isPresent && <Badge tone="good">{t('versions.present')}</Badge>}
        <span className={styles.muted}>
          <bdi>{saverOf(version)}</bdi> · <Moment at={savedAt} />
        </span>
      </p>
      <p>
        {previousVersion === null && t(number === 1 ? 'versions.created' : 'versions.first')}
        {sameAs !== null && <strong>{t('versions.sameAs', { version: sameAs })} </strong>}
        {previousVersion !== null && summary(changes, changeCount)}
      </p>
    </li>
  );
}
