import { useId, useState } from 'react';
import { SelectContext } from 'react-aria-components';
import { isAccepted, isSwitch } from '../../../../src/forms/validation/sent-value.js';
import { useText } from '../../language.js';
import { Button } from '../buttons/button.js';
import { Checkbox } from '../fields/checkbox.js';
import { Select } from '../fields/select.js';
import { TextArea } from '../fields/text-area.js';
import { TextField } from '../fields/text-field.js';
import { FormState } from '../form/form-state.js';
import { CloseIcon } from '../icons/icons.js';
import styles from './condition.module.css';
import { type Driver, newRule, operatorsFor, type Rule, valueKind, valuesOf, withOperator } from './rules.js';

type Part = 'field' | 'operator' | 'value';

type Props = Readonly<{
  /** Its position, from 1. */
  number: number;
  rule: Rule;
  drivers: readonly Driver[];
  /** What is wrong with each of its parts. */
  faults: Readonly<Record<Part, string | undefined>>;
  onChange(rule: Rule): void;
  onRemove(): void;
}>;

/** A rule: the field that it reads, how it compares, and with what. */
export function RuleEditor({ number, rule, drivers, faults, onChange, onRemove }: Props) {
  const t = useText();
  const faultId = useId();
  const driver = drivers.find(({ name }) => name === rule.field);
  const offered = driver ? operatorsFor(driver) : [];
  const operators = offered.includes(rule.operator) ? offered : [rule.operator, ...offered];
  const isTicked = driver !== undefined && isSwitch(driver);
  const hasValue = driver !== undefined && valueKind(rule.operator) !== 'none';
  const faulty: Part | null = faults.field
    ? 'field'
    : faults.operator || (faults.value && !hasValue)
      ? 'operator'
      : faults.value
        ? 'value'
        : null;
  // A text box says its own fault, as in any other form.
  const isTyped = hasValue && !isTicked && driver.options.length === 0;
  const message =
    faulty === 'value' && isTyped ? undefined : (faults.field ?? faults.operator ?? faults.value);
  const describedBy = (part: Part) => (message && faulty === part ? { 'aria-describedby': faultId } : {});
  return (
    <fieldset className={styles.rule}>
      <legend>{t('condition.rule', { number })}</legend>
      <SelectContext value={describedBy('field')}>
        <Select
          label={t('condition.field')}
          value={rule.field}
          options={[
            ...(driver ? [] : [{ value: rule.field, text: rule.field }]),
            ...drivers.map(({ name, label }) => ({ value: name, text: label || name })),
          ]}
          onChange={(name) => {
            const chosen = drivers.find((one) => one.name === name);
            if (chosen && name !== rule.field) onChange(newRule(chosen));
          }}
        />
      </SelectContext>
      <SelectContext value={describedBy('operator')}>
        <Select
          label={t('condition.operator')}
          value={rule.operator}
          options={operators.map((value) => ({
            value,
            text: t(
              isTicked && valueKind(value) === 'none'
                ? `condition.box.${value as 'is_empty'}`
                : `condition.operator.${value}`,
            ),
          }))}
          onChange={(operator) => driver && onChange(withOperator(rule, operator, driver))}
        />
      </SelectContext>
      {driver && (
        <SelectContext value={describedBy('value')}>
          <FormState value={{ isTried: true, messages: faults.value ? { ruleValue: faults.value } : {} }}>
            <RuleValue
              key={`${driver.name} ${rule.operator}`}
              rule={rule}
              driver={driver}
              describedBy={describedBy('value')}
              onChange={onChange}
            />
          </FormState>
        </SelectContext>
      )}
      <div className={styles.remove}>
        <Button variant="quiet" isSquare aria-label={t('condition.remove', { number })} onPress={onRemove}>
          <CloseIcon />
        </Button>
      </div>
      {message && (
        <p id={faultId} className={styles.fault} data-fault tabIndex={-1}>
          {message}
        </p>
      )}
    </fieldset>
  );
}

type ValueProps = Readonly<{
  rule: Rule;
  driver: Driver;
  /** The attribute that leads from what is no text box to what is wrong with it. */
  describedBy: Readonly<{ 'aria-describedby'?: string }>;
  onChange(rule: Rule): void;
}>;

/** What a rule compares with: options to choose from, or a text of the driver's type. */
function RuleValue({ rule, driver, describedBy, onChange }: ValueProps) {
  const t = useText();
  const kind = valueKind(rule.operator);
  const label = t('condition.value');
  if (kind === 'none') return null;
  const values = valuesOf(rule);
  const [value = ''] = values;
  if (isSwitch(driver)) {
    return (
      <Select
        label={label}
        value={[rule.value].flat().some(isAccepted) ? '1' : '0'}
        options={[
          { value: '1', text: t('condition.ticked') },
          { value: '0', text: t('condition.unticked') },
        ]}
        onChange={(chosen) => onChange({ ...rule, value: kind === 'several' ? [chosen] : chosen })}
      />
    );
  }
  if (driver.options.length > 0) {
    const known = driver.options.map((option) => ({
      value: option.value,
      text: option.label || option.value,
    }));
    const stray = values.filter((one) => !known.some((option) => option.value === one));
    const options = [...known, ...stray.map((one) => ({ value: one, text: one }))];
    if (kind === 'one') {
      return (
        <Select
          label={label}
          value={value}
          options={options}
          onChange={(chosen) => onChange({ ...rule, value: chosen })}
        />
      );
    }
    return (
      <fieldset className={styles.choices} {...describedBy}>
        <legend>{label}</legend>
        {options.map((option) => {
          const isChosen = values.includes(option.value);
          return (
            <Checkbox
              key={option.value}
              label={option.text}
              isSelected={isChosen}
              // The last one stays: a rule compares with one value at least.
              isDisabled={isChosen && values.length === 1}
              onChange={(isTicked) =>
                onChange({
                  ...rule,
                  value: options
                    .map((one) => one.value)
                    .filter((one) => (one === option.value ? isTicked : values.includes(one))),
                })
              }
            />
          );
        })}
      </fieldset>
    );
  }
  if (kind === 'several') return <Lines label={label} rule={rule} onChange={onChange} />;
  return (
    <TextField
      name="ruleValue"
      label={label}
      type={driver.type === 'date' || driver.type === 'time' ? driver.type : 'text'}
      inputMode={driver.type === 'number' ? 'decimal' : undefined}
      autoComplete="off"
      maxLength={255}
      value={value}
      onChange={(text) => onChange({ ...rule, value: text })}
    />
  );
}

type LinesProps = Readonly<{ label: string; rule: Rule; onChange(rule: Rule): void }>;

const linesOf = (text: string): string[] => text.split('\n').filter(Boolean);

/** Several values, each on a line. */
function Lines({ label, rule, onChange }: LinesProps) {
  const t = useText();
  const [typed, setTyped] = useState('');
  const written = valuesOf(rule).join('\n');
  // What is typed stays as it is while it says the same: this may be another rule by now.
  const isTyped = linesOf(typed).join('\n') === written;
  return (
    <TextArea
      name="ruleValue"
      label={label}
      hint={t('condition.lines')}
      value={isTyped ? typed : written}
      onChange={(text) => {
        setTyped(text);
        const lines = linesOf(text);
        onChange({ ...rule, value: lines.length > 0 ? lines : [''] });
      }}
    />
  );
}
