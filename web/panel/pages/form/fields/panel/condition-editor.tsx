import { useMemo } from 'react';
import { possibleDrivers } from '../../../../../../src/forms/definition/condition-checks.js';
import { useText } from '../../../../language.js';
import styles from '../../../../parts/condition/condition.module.css';
import { ConditionRules } from '../../../../parts/condition/condition-rules.js';
import { type Condition, newRule } from '../../../../parts/condition/rules.js';
import { useSentence } from '../../../../parts/condition/sentence.js';
import { Select } from '../../../../parts/fields/select.js';
import { say } from '../../../../parts/overlays/toasts.js';
import type { FieldDraft } from '../../queries.js';

type Props = Readonly<{
  field: FieldDraft;
  fields: readonly FieldDraft[];
  isReadOnly: boolean;
  /** Messages by their paths within the condition; that of the condition as a whole is empty. */
  faults: Readonly<Record<string, string>>;
  onChange(condition: Condition | null): void;
}>;

/** When a field is shown: the condition in a sentence, and its rules to edit. */
export function ConditionEditor({ field, fields, isReadOnly, faults, onChange }: Props) {
  const t = useText();
  const sentence = useSentence();
  const { name, label, visibility } = field;
  const drivers = useMemo(() => possibleDrivers(fields, name), [fields, name]);
  const [first] = drivers;
  /** A key on the closed list chooses *Always* as well. */
  const removeCondition = () => {
    if (!visibility) return;
    onChange(null);
    say(t('form.field.conditionRemoved', { field: label || name }), () => onChange(visibility));
  };
  if (!visibility && !first) return <p className={styles.hint}>{t('condition.noDriver')}</p>;
  return (
    <div className={styles.condition}>
      <Select
        label={t('condition.show')}
        value={visibility?.match ?? 'always'}
        options={(['always', 'all', 'any'] as const).map((value) => ({
          value,
          text: t(`condition.match.${value}`),
        }))}
        onChange={(match) => {
          if (match === 'always') removeCondition();
          else if (visibility) onChange({ ...visibility, match });
          else if (first) onChange({ match, rules: [newRule(first)] });
        }}
      />
      {visibility && (
        <>
          <p className={styles.sentence}>
            {t('condition.sentence', { field: label || name, condition: sentence(visibility, fields) })}
          </p>
          {!isReadOnly && (
            <ConditionRules condition={visibility} drivers={drivers} faults={faults} onChange={onChange} />
          )}
        </>
      )}
      {faults[''] && (
        <p className={styles.fault} data-fault tabIndex={-1}>
          {faults['']}
        </p>
      )}
    </div>
  );
}
