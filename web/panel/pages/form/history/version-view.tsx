import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useIntl } from 'react-intl';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { useSentence } from '../../../parts/condition/sentence.js';
import { EmptyState } from '../../../parts/feedback/empty-state.js';
import { Loaded } from '../../../parts/feedback/loaded.js';
import { Skeleton } from '../../../parts/feedback/skeleton.js';
import { Select } from '../../../parts/fields/select.js';
import { BackIcon } from '../../../parts/icons/icons.js';
import { Badge } from '../../../parts/layout/badge.js';
import { Section } from '../../../parts/layout/page.js';
import { Table } from '../../../parts/layout/table.js';
import { Moment } from '../../../parts/time/moment.js';
import { useMayManage } from '../../../session.js';
import type { TabProps } from '../use-draft.js';
import { ChangeTable } from './change-table.js';
import styles from './history.module.css';
import { choicesQuery, comparisonQuery, type KeptField, type VersionFacts } from './queries.js';
import { RestoreDialog } from './restore-dialog.js';
import { useSaver } from './version-list.js';

type Props = Pick<TabProps, 'form' | 'draft'> & {
  /** The version that is shown. */
  to: number;
  /** The version that it is compared with; undefined: the one before it. */
  from: number | undefined;
};

/** A version of the form: what it changed, or what differs from any other one, and its fields. */
export function VersionView({ form, draft, from, to }: Props) {
  const t = useText();
  const choices = useQuery(choicesQuery(form.id, form.version));
  return (
    <>
      <Link
        to="."
        search={(given) => ({ ...given, since: undefined, version: undefined })}
        className={styles.back}
      >
        <BackIcon />
        {t('versions.all')}
      </Link>
      <Loaded query={choices} skeleton={<Skeleton lines={6} />}>
        {(versions) => {
          const find = (wanted: number) => versions.find(({ version }) => version === wanted);
          const shown = find(to);
          const other = find(from ?? shown?.previousVersion ?? to);
          if (!shown || !other) {
            return (
              <EmptyState title={t('versions.notKept', { version: shown && from !== undefined ? from : to })}>
                <p>{t('versions.notKeptText')}</p>
              </EmptyState>
            );
          }
          return (
            <Shown
              key={to}
              form={form}
              draft={draft}
              versions={versions}
              shown={shown}
              other={other}
              isFirst={from === undefined && shown.previousVersion === null}
            />
          );
        }}
      </Loaded>
    </>
  );
}

type ShownProps = Pick<TabProps, 'form' | 'draft'> & {
  versions: readonly VersionFacts[];
  shown: VersionFacts;
  other: VersionFacts;
  /** Whether there is none before it that it could be compared with, and no other was chosen. */
  isFirst: boolean;
};

function Shown({ form, draft, versions, shown, other, isFirst }: ShownProps) {
  const t = useText();
  const saverOf = useSaver();
  const mayManage = useMayManage(form.teamId);
  const [isAsking, setAsking] = useState(false);
  const comparison = useQuery(comparisonQuery(form.id, other.version, shown.version));
  const isPresent = shown.version === form.version;
  const isEdited = draft !== form.content;
  return (
    <>
      <header className={`${styles.facts} ${styles.header}`}>
        <h2>{t('form.version', { version: shown.version })}</h2>
        {isPresent && <Badge tone="good">{t('versions.present')}</Badge>}
        <span className={styles.muted}>
          <bdi>{saverOf(shown)}</bdi> · <Moment at={shown.savedAt} />
        </span>
        {mayManage && !isPresent && (
          <Button onPress={() => setAsking(true)} isDisabled={isEdited}>
            {t('versions.restore')}
          </Button>
        )}
      </header>
      {mayManage && !isPresent && isEdited && <p className={styles.muted}>{t('versions.unsaved')}</p>}
      {isFirst ? (
        <p className={styles.header}>{t(shown.version === 1 ? 'versions.created' : 'versions.first')}</p>
      ) : (
        <Section title={t('versions.changes')}>
          <Choices versions={versions} from={other.version} to={shown.version} />
          <Loaded query={comparison} skeleton={<Skeleton lines={6} />}>
            {(read) => <ChangeTable comparison={read} />}
          </Loaded>
        </Section>
      )}
      <Loaded query={comparison} skeleton={isFirst && <Skeleton lines={6} />}>
        {({ fields }) => <Fields fields={fields} />}
      </Loaded>
      {isAsking && <RestoreDialog form={form} version={shown.version} onClose={() => setAsking(false)} />}
    </>
  );
}

/** Chooses the two versions to compare, any of those that are kept. */
function Choices({ versions, from, to }: { versions: readonly VersionFacts[]; from: number; to: number }) {
  const t = useText();
  const { formatDate } = useIntl();
  const saverOf = useSaver();
  const navigate = useNavigate();
  const options = versions.map((version) => ({
    value: String(version.version),
    text: t('versions.choice', {
      version: version.version,
      by: saverOf(version),
      at: formatDate(version.savedAt, { dateStyle: 'medium', timeStyle: 'short' }),
    }),
  }));
  const choose = (chosen: { since?: number; version?: number }) =>
    void navigate({ to: '.', search: (given) => ({ ...given, since: from, version: to, ...chosen }) });
  return (
    <div className={styles.choices}>
      <Select
        label={t('versions.from')}
        value={String(from)}
        options={options}
        onChange={(version) => choose({ since: Number(version) })}
      />
      <Select
        label={t('versions.to')}
        value={String(to)}
        options={options}
        onChange={(version) => choose({ version: Number(version) })}
      />
    </div>
  );
}

/** The fields as they were. */
function Fields({ fields }: { fields: readonly KeptField[] }) {
  const t = useText();
  const sentence = useSentence();
  return (
    <Section title={t('versions.fields')}>
      <Table
        label={t('versions.fields')}
        headings={[
          t('change.field.label'),
          t('form.field.name'),
          t('change.field.type'),
          t('change.field.isRequired'),
          t('change.condition'),
        ]}
      >
        {fields.map(({ name, label, type, isRequired, options, visibility }) => (
          <tr key={name}>
            <td className={styles.value} dir="auto">
              {label}
            </td>
            <td>
              <code>{name}</code>
            </td>
            <td className={styles.value}>
              {t(`form.type.${type}`)}
              {options.length > 0 && (
                <span className={styles.muted}> ({options.map((option) => option.label).join(', ')})</span>
              )}
            </td>
            <td>{t(isRequired ? 'change.yes' : 'change.no')}</td>
            <td className={styles.value}>
              {visibility === null
                ? t('change.always')
                : t('change.when', { condition: sentence(visibility, fields) })}
            </td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}
