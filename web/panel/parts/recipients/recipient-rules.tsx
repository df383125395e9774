import { useEffect, useRef, useState } from 'react';
import { MAX_RECIPIENT_RULES, type RecipientRule } from '../../../../src/forms/recipients/recipient-rules.js';
import { recipientRuleFaults } from '../../../../src/forms/recipients/rule-faults.js';
import { useText } from '../../language.js';
import { Button } from '../buttons/button.js';
import { ConditionRules } from '../condition/condition-rules.js';
import { type Driver, newRule } from '../condition/rules.js';
import { useSentence } from '../condition/sentence.js';
import { Select } from '../fields/select.js';
import { textOfFault } from '../form/fault-sentences.js';
import { CloseIcon } from '../icons/icons.js';
import { AddressesField } from './addresses-field.js';
import styles from './recipient-rules.module.css';

type Faults = Readonly<Record<string, string>>;

type Props = Readonly<{
  /** What becomes of a lead that no rule matches. */
  note: string;
  rules: readonly RecipientRule[];
  /** The fields of the form. */
  fields: readonly Driver[];
  /** Messages by their paths within the list. */
  faults: Faults;
  isReadOnly: boolean;
  onChange(rules: RecipientRule[]): void;
}>;

/** Picks the messages at a path and below it, by what remains of their paths. */
const below = (faults: Faults, path: string): Faults =>
  Object.fromEntries(
    Object.entries(faults).flatMap(([at, message]) =>
      at === path || at.startsWith(`${path}.`) ? [[at.slice(path.length + 1), message]] : [],
    ),
  );

/** Recipients by answer: a sentence for each rule, with its condition and addresses to edit. */
export function RecipientRules({ note, rules, fields, faults, isReadOnly, onChange }: Props) {
  const t = useText();
  const parts = useRef<HTMLDivElement>(null);
  const [moved, setMoved] = useState<'added' | 'removed' | null>(null);
  // To the rule that was added, or to what adds one after a removal.
  useEffect(() => {
    if (!moved) return;
    const to = moved === 'added' ? 'li:last-child fieldset fieldset button' : ':scope > button';
    parts.current?.querySelector<HTMLElement>(to)?.focus();
    setMoved(null);
  }, [moved]);
  const [first] = fields;
  return (
    <div ref={parts} className={styles.rules}>
      <p>{isReadOnly && rules.length === 0 ? t('rules.none') : note}</p>
      <ol aria-label={t('rules.title')}>
        {Array.from(rules.entries(), ([index, rule]) => (
          <li key={index}>
            <Rule
              number={index + 1}
              rule={rule}
              fields={fields}
              faults={below(faults, String(index))}
              isReadOnly={isReadOnly}
              onChange={(changed) => onChange(rules.with(index, changed))}
              onRemove={() => {
                onChange(rules.toSpliced(index, 1));
                setMoved('removed');
              }}
            />
          </li>
        ))}
      </ol>
      {faults[''] && (
        <p className={styles.fault} data-fault tabIndex={-1}>
          {faults['']}
        </p>
      )}
      {!first && <p className={styles.hint}>{t('rules.noField')}</p>}
      {!isReadOnly && first && (
        <Button
          isDisabled={rules.length >= MAX_RECIPIENT_RULES}
          onPress={() => {
            onChange([...rules, { when: { match: 'all', rules: [newRule(first)] }, recipients: [] }]);
            setMoved('added');
          }}
        >
          {t('rules.add')}
        </Button>
      )}
    </div>
  );
}

type RuleProps = Readonly<{
  number: number;
  rule: RecipientRule;
  fields: Props['fields'];
  faults: Faults;
  isReadOnly: boolean;
  onChange(rule: RecipientRule): void;
  onRemove(): void;
}>;

function Rule({ number, rule, fields, faults, isReadOnly, onChange, onRemove }: RuleProps) {
  const t = useText();
  const sentence = useRuleSentence(fields);
  const { when, recipients } = rule;
  // A website's rule may read a field, or an option of it, that the form has lost since.
  const lost = Object.keys(faults).length > 0 ? [] : recipientRuleFaults([rule], fields);
  const lostOption = lost
    .map(({ message }) => textOfFault(message))
    .find((found) => found?.id === 'fault.noOption');
  return (
    <fieldset className={styles.rule}>
      <legend>{t('rules.rule', { number })}</legend>
      <div className={styles.sentence}>
        <p>{sentence(rule)}</p>
        {!isReadOnly && (
          <Button variant="quiet" isSquare aria-label={t('rules.remove', { number })} onPress={onRemove}>
            <CloseIcon />
          </Button>
        )}
      </div>
      {lost.some(({ path }) => path.at(-1) === 'field') && <p className={styles.fault}>{t('rules.lost')}</p>}
      {lostOption && <p className={styles.fault}>{t('rules.lostOption', { option: lostOption.a })}</p>}
      {!isReadOnly && (
        <>
          <Select
            label={t('rules.when')}
            value={when.match}
            options={(['all', 'any'] as const).map((value) => ({
              value,
              text: t(`condition.match.${value}`),
            }))}
            onChange={(match) => onChange({ ...rule, when: { ...when, match } })}
          />
          <ConditionRules
            condition={when}
            drivers={fields}
            faults={below(faults, 'when')}
            // Without a condition there is no rule: it is removed as a whole.
            onChange={(changed) => (changed ? onChange({ ...rule, when: changed }) : onRemove())}
          />
          {faults.when && (
            <p className={styles.fault} data-fault tabIndex={-1}>
              {faults.when}
            </p>
          )}
          <AddressesField
            label={t('rules.to')}
            addresses={recipients}
            faults={below(faults, 'recipients')}
            onChange={(addresses) => onChange({ ...rule, recipients: addresses })}
          />
        </>
      )}
    </fieldset>
  );
}

/** Returns the function that puts a rule into words: *When «Topic» is «Quote», to sales@…*. */
function useRuleSentence(fields: Props['fields']): (rule: RecipientRule) => string {
  const t = useText();
  const sentence = useSentence();
  return ({ when, recipients }) => {
    const condition = sentence(when, fields);
    return recipients.length === 0
      ? t('rules.sentence.open', { condition })
      : t('rules.sentence', { condition, recipients: recipients.join(', ') });
  };
}
