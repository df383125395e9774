import { useIntl } from 'react-intl';
import { type Condition, isRule, type Rule } from '../../../../src/forms/definition/conditions.js';
import { isAccepted, isSwitch } from '../../../../src/forms/validation/sent-value.js';
import { useText } from '../../language.js';
import { type Driver, valuesOf } from './rules.js';

/** Returns the function that puts a condition into words, such as `«Topic» is «Quote» or «Other»`. */
export function useSentence(): (condition: Condition, fields: readonly Driver[]) => string {
  const t = useText();
  const { formatList } = useIntl();
  const quote = (text: string) => t('condition.quoted', { text });

  function ruleWords(rule: Rule, driver: Driver | undefined): string {
    const field = quote(driver?.label || rule.field);
    if (driver && isSwitch(driver)) {
      const isNegated = rule.operator.startsWith('not_') || rule.operator === 'is_empty';
      const isOn = rule.value === undefined || [rule.value].flat().some(isAccepted);
      return t(isNegated === isOn ? 'condition.rule.unticked' : 'condition.rule.ticked', { field });
    }
    const labels = valuesOf(rule).map((value) =>
      quote(driver?.options.find((option) => option.value === value)?.label || value),
    );
    return t(`condition.rule.${rule.operator}`, {
      field,
      value: formatList(labels, { type: 'disjunction' }),
    });
  }

  return function words(condition, fields): string {
    const parts = condition.rules.map((rule) => {
      if (isRule(rule))
        return ruleWords(
          rule,
          fields.find(({ name }) => name === rule.field),
        );
      return t('condition.group', { condition: words(rule, fields) });
    });
    return formatList(parts, { type: condition.match === 'all' ? 'conjunction' : 'disjunction' });
  };
}
