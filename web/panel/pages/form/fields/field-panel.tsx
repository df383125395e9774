import { useEffect, useRef } from 'react';
import {
  ButtonContext,
  CheckboxContext,
  Provider,
  SelectContext,
  TextFieldContext,
} from 'react-aria-components';
import { FIELD_TYPES } from '../../../../../src/forms/definition/form-definition.js';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/button.js';
import { Checkbox } from '../../../parts/checkbox.js';
import { useFaultWords } from '../../../parts/fault-words.js';
import { FormState } from '../../../parts/form-state.js';
import { BackIcon } from '../../../parts/icons.js';
import { Select } from '../../../parts/select.js';
import { TextArea } from '../../../parts/text-area.js';
import { TextField } from '../../../parts/text-field.js';
import { type Faults, faultsBelow } from '../faults.js';
import type { FieldDraft } from '../queries.js';
import type { Change, Hold } from '../use-draft.js';
import { AttributeFields } from './attribute-fields.js';
import { isSeen, takesOptions, takesPlaceholder, takesSeveral } from './attributes.js';
import { CommittedField } from './committed-field.js';
import { ConditionEditor } from './condition-editor.js';
import styles from './field-panel.module.css';
import { nameFault, proposeName } from './names.js';
import { OptionsEditor } from './options-editor.js';
import { changeField, changeType, newOption, renameField } from './recipes.js';

type Props = Readonly<{
  field: FieldDraft;
  fields: readonly FieldDraft[];
  /** Whether the form was never saved with it. */
  isNew: boolean;
  isReadOnly: boolean;
  /** Whether its label is to be typed over at once. */
  hasFocus: boolean;
  /** By their paths within the field. */
  faults: Faults;
  change: Change;
  hold: Hold;
  onRenamed(name: string): void;
  onDuplicate(): void;
  onRemove(): void;
  onLeave(): void;
}>;

/** Everything about the field that is edited. */
export function FieldPanel(props: Props) {
  const { field, fields, isNew, isReadOnly, hasFocus, faults, change, hold, onRenamed } = props;
  const { name, type } = field;
  const t = useText();
  const faultWords = useFaultWords();
  const panel = useRef<HTMLElement>(null);
  /** The label when its editing began, by which a name that was proposed is recognised. */
  const labelBefore = useRef(field.label);

  useEffect(() => {
    if (!hasFocus) return;
    const label = panel.current?.querySelector('input');
    label?.focus();
    label?.select();
  }, [hasFocus]);

  const set = (changes: Partial<FieldDraft>) => change(changeField(name, (now) => ({ ...now, ...changes })));
  const others = fields.map((one) => one.name).filter((one) => one !== name);
  const text = (key: 'placeholder' | 'helpText' | 'linkUrl') => ({
    name: key,
    label: t(`form.field.${key}`),
    value: field[key] ?? '',
    onChange: (value: string) => set({ [key]: value || null }),
  });
  const rename = (to: string) => {
    change(renameField(name, to));
    onRenamed(to);
  };

  return (
    <section
      ref={panel}
      className={styles.panel}
      aria-label={t('form.field.of', { field: field.label || name })}
    >
      <header className={styles.header}>
        <span className={styles.back}>
          <Button variant="quiet" onPress={props.onLeave}>
            <BackIcon />
            {t('form.fields.back')}
          </Button>
        </span>
        <h2>{field.label || name}</h2>
        {!isReadOnly && (
          <>
            <Button onPress={props.onDuplicate}>{t('form.field.duplicate')}</Button>
            <Button onPress={props.onRemove}>{t('form.field.remove')}</Button>
          </>
        )}
      </header>
      <FormState value={{ isTried: true, messages: faultWords(faults) }}>
        <Provider
          // A disabled fieldset would not do: what React Aria makes of labels, icons and rows still acts in it.
          values={[
            [ButtonContext, { isDisabled: isReadOnly }],
            [CheckboxContext, { isDisabled: isReadOnly }],
            [SelectContext, { isDisabled: isReadOnly }],
            [TextFieldContext, { isDisabled: isReadOnly }],
          ]}
        >
          <div className={styles.part}>
            <TextField
              name="label"
              label={t('form.field.label')}
              value={field.label}
              maxLength={500}
              onFocus={() => {
                labelBefore.current = field.label;
              }}
              onChange={(label) => set({ label })}
              onBlur={() => {
                const isProposed = isNew && name === proposeName(labelBefore.current, others);
                if (isProposed && field.label !== labelBefore.current)
                  rename(proposeName(field.label, others));
                labelBefore.current = field.label;
              }}
            />
            <div className={styles.pair}>
              <CommittedField
                name="name"
                label={t('form.field.name')}
                hint={t(isNew ? 'form.field.nameHint' : 'form.field.nameKept')}
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
                onChange={(wanted) => {
                  const options = [1, 2].map((number) => t('form.options.new', { number }));
                  change(
                    changeType(
                      name,
                      wanted,
                      options.map((label) => newOption(label, label)),
                    ),
                  );
                }}
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
          {(takesOptions(type) || field.options.length > 0) && (
            <div className={styles.part}>
              <h3>{t('form.options.title')}</h3>
              <OptionsEditor
                field={field}
                isReadOnly={isReadOnly}
                change={change}
                hold={hold}
                faults={faultWords(faultsBelow(faults, 'options'))}
              />
            </div>
          )}
          {isSeen(type) && (
            <div className={styles.part}>
              <h3>{t('form.field.look')}</h3>
              <Checkbox
                label={t('form.field.showLabel')}
                isSelected={field.showLabel}
                onChange={(showLabel) => set({ showLabel })}
              />
              {(takesPlaceholder(type) || field.placeholder) && (
                <TextField {...text('placeholder')} maxLength={500} />
              )}
              <TextArea {...text('helpText')} maxLength={5000} />
              <TextField
                {...text('linkUrl')}
                hint={t('form.field.linkUrlHint')}
                type="url"
                maxLength={2048}
              />
            </div>
          )}
          <AttributeFields field={field} change={change} />
          <div className={styles.part}>
            <h3>{t('condition.title')}</h3>
            <ConditionEditor
              field={field}
              fields={fields}
              isReadOnly={isReadOnly}
              faults={faultWords(faultsBelow(faults, 'visibility'))}
              onChange={(visibility) => set({ visibility })}
            />
          </div>
        </Provider>
      </FormState>
    </section>
  );
}
