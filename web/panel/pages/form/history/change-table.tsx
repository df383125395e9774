import { useText } from '../../../language.js';
import { Badge } from '../../../parts/layout/badge.js';
import { useChangeNames, useValueWords, verbOf } from './change-words.js';
import styles from './history.module.css';
import type { Change, Comparison, KeptField } from './queries.js';

type Group = Readonly<{
  field: string | null;
  label: string;
  whole: Change | null;
  changes: readonly Change[];
}>;

const WHOLE = ['field_added', 'field_removed'];

/** Groups changes by field, in their order; those of the form itself come first. */
function groupsOf(changes: readonly Change[]): Group[] {
  const groups = new Map<string | null, Change[]>();
  for (const change of changes) groups.set(change.field, [...(groups.get(change.field) ?? []), change]);
  return [...groups].map(([field, ofField]) => ({
    field,
    label: ofField[0]!.fieldLabel || (field ?? ''),
    whole: ofField.find(({ kind }) => WHOLE.includes(kind)) ?? null,
    changes: ofField.filter(({ kind }) => !WHOLE.includes(kind)),
  }));
}

/** What differs between two versions, field by field, with what it was before and after. */
export function ChangeTable({ comparison }: { comparison: Comparison }) {
  const t = useText();
  const { changeCount, changes, fieldsBefore, fields } = comparison;
  if (changeCount === 0) return <p className={styles.muted}>{t('versions.equal')}</p>;
  return (
    <>
      <p className={styles.muted}>{t('versions.count', { count: changeCount })}</p>
      <table className={styles.changes} aria-label={t('versions.changes')}>
        <thead>
          <tr>
            <th scope="col">{t('change.what')}</th>
            <th scope="col">{t('change.before')}</th>
            <th scope="col">{t('change.after')}</th>
          </tr>
        </thead>
        {groupsOf(changes).map((group) => (
          <Rows key={group.field ?? ''} group={group} before={fieldsBefore} after={fields} />
        ))}
      </table>
      {changes.length < changeCount && (
        <p className={styles.muted}>{t('versions.cut', { shown: changes.length })}</p>
      )}
    </>
  );
}

type RowsProps = { group: Group; before: readonly KeptField[]; after: readonly KeptField[] };

function Rows({ group: { field, label, whole, changes }, before, after }: RowsProps) {
  const t = useText();
  return (
    <tbody>
      <tr>
        <th scope="rowgroup" colSpan={3}>
          {field === null ? t('change.form') : <bdi>{label}</bdi>}
          {field !== null && field !== label && <code>{field}</code>}
          {whole && (
            <Badge tone={whole.kind === 'field_added' ? 'good' : 'danger'}>
              {t(`change.verb.${verbOf(whole)}`)}
            </Badge>
          )}
        </th>
      </tr>
      {whole && <WholeField change={whole} />}
      {changes.map((change) => (
        <Row
          key={`${change.kind} ${change.option} ${change.locale} ${change.key}`}
          change={change}
          before={before}
          after={after}
        />
      ))}
    </tbody>
  );
}

/** A field that one of the versions lacks: its type, on the side of the other. */
function WholeField({ change }: { change: Change }) {
  const t = useText();
  const { type } = (change.after ?? change.before) as Pick<KeptField, 'type'>;
  const cell = <td>{t(`form.type.${type}`)}</td>;
  const none = <td className={styles.muted}>{t('change.nothing')}</td>;
  return (
    <tr>
      <td>{t('change.field.type')}</td>
      {change.before === null ? none : cell}
      {change.after === null ? none : cell}
    </tr>
  );
}

type RowProps = { change: Change; before: readonly KeptField[]; after: readonly KeptField[] };

function Row({ change, before, after }: RowProps) {
  const t = useText();
  const { nameInField } = useChangeNames();
  const wordsOf = useValueWords();
  const verb = verbOf(change);
  const isFieldMove = change.kind === 'field_moved';
  const what = isFieldMove ? t('change.place.of') : nameInField(change);
  // Its cells say whether the form has it: a verb before them would say so twice.
  const isLanguage = change.kind.startsWith('language_');
  return (
    <tr>
      <td>
        {verb === 'changed' || isFieldMove || isLanguage
          ? what
          : t('change.list', { verb: t(`change.verb.${verb}`), list: what })}
      </td>
      {isLanguage ? (
        <>
          <td>{t(verb === 'added' ? 'change.no' : 'change.yes')}</td>
          <td>{t(verb === 'added' ? 'change.yes' : 'change.no')}</td>
        </>
      ) : (
        <>
          <Value lines={wordsOf(change, 'before', before)} />
          <Value lines={wordsOf(change, 'after', after)} />
        </>
      )}
    </tr>
  );
}

const Value = ({ lines }: { lines: readonly string[] }) => (
  <td dir="auto" className={styles.value}>
    {lines.length === 1 ? (
      lines[0]
    ) : (
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    )}
  </td>
);
