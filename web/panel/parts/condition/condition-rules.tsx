import { MAX_DEPTH } from '../../../../src/forms/definition/condition-checks.js';
import { useText } from '../../language.js';
import { Button } from '../buttons/button.js';
import { Select } from '../fields/select.js';
import styles from './condition.module.css';
import { RuleEditor } from './rule-editor.js';
import { type Condition, changeAt, type Driver, newRule, type Rule, type RulePath } from './rules.js';

type Props = Readonly<{
  condition: Condition;
  /** The fields that it may read. */
  drivers: readonly Driver[];
  /** Messages by their paths within the condition. */
  faults: Readonly<Record<string, string>>;
  onChange(condition: Condition | null): void;
}>;

/** The rules of a condition, to edit; without its last rule it is null. */
export const ConditionRules = ({ condition, drivers, faults, onChange }: Props) => (
  <Rules
    condition={condition}
    path={[]}
    drivers={drivers}
    faults={faults}
    onChange={(path, change) => onChange(changeAt(condition, path, change))}
  />
);

type RulesProps = Readonly<{
  condition: Condition;
  /** Where the condition stands in the outermost one. */
  path: RulePath;
  drivers: readonly Driver[];
  faults: Props['faults'];
  onChange(path: RulePath, change: (at: Rule | Condition) => Rule | Condition | null): void;
}>;

/** The rules of a condition, and the conditions within it. */
function Rules({ condition, path, drivers, faults, onChange }: RulesProps) {
  const t = useText();
  const [first] = drivers;
  const add = (rule: Rule | Condition) =>
    onChange(path, (at) => ({ ...(at as Condition), rules: [...(at as Condition).rules, rule] }));
  return (
    <div className={styles.rules}>
      {condition.rules.map((rule, index) => {
        const at = [...path, index];
        const faultPath = at.map((position) => `rules.${position}`).join('.');
        const key = at.join('.');
        if (!('rules' in rule)) {
          return (
            <RuleEditor
              key={key}
              number={index + 1}
              rule={rule}
              drivers={drivers}
              faults={{
                field: faults[`${faultPath}.field`],
                operator: faults[`${faultPath}.operator`],
                value: faults[`${faultPath}.value`],
              }}
              onChange={(changed) => onChange(at, () => changed)}
              onRemove={() => onChange(at, () => null)}
            />
          );
        }
        return (
          <fieldset key={key} className={styles.group}>
            <legend>{t('condition.groupLabel')}</legend>
            <Select
              label={t('condition.groupMatch')}
              value={rule.match}
              options={(['all', 'any'] as const).map((value) => ({
                value,
                text: t(`condition.group.${value}`),
              }))}
              onChange={(match) => onChange(at, (now) => ({ ...(now as Condition), match }))}
            />
            <Rules condition={rule} path={at} drivers={drivers} faults={faults} onChange={onChange} />
          </fieldset>
        );
      })}
      {first && (
        <div className={styles.add}>
          <Button variant="quiet" onPress={() => add(newRule(first))}>
            {t('condition.addRule')}
          </Button>
          {path.length + 1 < MAX_DEPTH && (
            <Button
              variant="quiet"
              onPress={() =>
                add({ match: condition.match === 'all' ? 'any' : 'all', rules: [newRule(first)] })
              }
            >
              {t('condition.addGroup')}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
