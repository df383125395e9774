import { useRef } from 'react';
import { FIELD_TYPES } from '../../../../../../src/forms/definition/form-definition.js';
import { useText } from '../../../../language.js';
import { Checkbox } from '../../../../parts/fields/checkbox.js';
import { Select } from '../../../../parts/fields/select.js';
import { TextField } from '../../../../parts/fields/text-field.js';
import { say } from '../../../../parts/overlays/toasts.js';
import type { FieldDraft } from '../../queries.js';
import type { Change, Hold } from '../../use-draft.js';
import { isSeen, takesSeveral } from '../attributes.js';
import styles from '../field-panel.module.css';
import { nameFault, proposeName } from '../names.js';
import { changeField, changeType, findDropped, newOption, renameField } from '../recipes.js';
import { CommittedField } from './committed-field.js';

type Props = Readonly<{
  field: FieldDraft;
  fields: readonly FieldDraft[];
  /** The field as the form is saved with it; undefined for a new one. */
  saved: FieldDraft | undefined;
  change: Change;
  hold: Hold;
  onRenamed(name: string): void;
}>;

/** What a field is: its label, its name and its type, and what is expected of its values. */
export function FieldBasics({ field, fields, saved, change, hold, onRenamed }: Props) {
  const t = useText();
  const { name, type, label } = field;
  /** The label when its editing began, by which a name that was proposed is recognised. */
  const labelBefore = useRef(label);
  const others = fields.map((one) => one.name).filter((one) => one !== name);
  const set = (changes: Partial<FieldDraft>) => change(changeField(name, (now) => ({ ...now, ...changes })));

  const rename = (to: string) => {
    change(renameField(name, to));
    onRenamed(to);
  };

  /** A name that was proposed for the label goes on to follow it. */
  const followLabel = () => {
    const isProposed = !saved && name === proposeName(labelBefore.current, others);
    if (isProposed && label !== labelBefore.current) rename(proposeName(label, others));
    labelBefore.current = label;
  };

  const setType = (wanted: FieldDraft['type']) => {
    const labels = [1, 2].map((number) => t('form.options.new', { number }));
    const options = labels.map((text) => newOption(text, text));
    change(changeType(name, wanted, options));
    const dropped = findDropped(field, wanted);
    if (!dropped.isAny) return;
    const text = dropped.options > 0 ? 'form.options.removed' : 'form.field.retyped';
    say(t(text, { field: label || name, count: dropped.options }), async () => {
      const { restoreType } = await import('../restore.js');
      change(restoreType(field));
    });
  };

  return (
    <div className={styles.part}>
      <TextField
        name="label"
        label={t('form.field.label')}
        value={label}
        maxLength={500}
        onFocus={() => {
          labelBefore.current = label;
        }}
        onChange={(text) => set({ label: text })}
        onBlur={followLabel}
      />
      <div className={styles.pair}>
        <CommittedField
          name="name"
          label={t('form.field.name')}
          hint={t(saved ? 'form.field.nameKept' : 'form.field.nameHint')}
          value={name}
          fault={(wanted) => {
            const fault = nameFault(wanted, others);
            return fault && t(`fault.name.${fault}`);
          }}
          hold={hold}
          onCommit={rename}
        />
        <Select
          label={t('form.field.type')}
          value={type}
          options={FIELD_TYPES.map((value) => ({ value, text: t(`form.type.${value}`) }))}
          onChange={setType}
        />
      </div>
      {isSeen(type) && (
        <Checkbox
          label={t(type === 'consent' ? 'form.field.isRequiredConsent' : 'form.field.isRequired')}
          isSelected={field.isRequired}
          onChange={(isRequired) => set({ isRequired })}
        />
      )}
      {(takesSeveral(field) || field.isMultiple) && (
        <Checkbox
          label={t('form.field.isMultiple')}
          isSelected={field.isMultiple}
          onChange={(isMultiple) => set({ isMultiple })}
        />
      )}
    </div>
  );
}
