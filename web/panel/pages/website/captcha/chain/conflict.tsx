import { useText } from '../../../../language.js';
import { Button } from '../../../../parts/buttons/button.js';
import { FormActions } from '../../../../parts/form/form.js';
import { nameStep } from '../../../../parts/step-name.js';
import styles from './conflict.module.css';
import { differingSettings, type StepDraft } from './draft.js';

type Props = Readonly<{
  theirs: readonly StepDraft[];
  mine: readonly StepDraft[];
  isPending: boolean;
  onTakeOver(): void;
  onOverwrite(): void;
}>;

/** Says that another viewer has saved the chain in the meantime, and what it is now; either of both can be kept. */
export function Conflict({ theirs, mine, isPending, onTakeOver, onOverwrite }: Props) {
  const t = useText();
  return (
    <div role="alert" className={styles.conflict}>
      <p>{t('chain.conflict')}</p>
      <ol className={styles.steps}>
        {theirs.map((step) => (
          <li key={step.id}>
            {nameStep(step, theirs, t)}
            {differingSettings(step, mine).map((setting) => (
              <p key={setting} className={styles.setting}>
                {t('chain.conflict.setting', {
                  setting: t(`chain.${setting}`),
                  value: step[setting] || t('chain.conflict.empty'),
                })}
              </p>
            ))}
          </li>
        ))}
      </ol>
      {theirs.length === 0 && <p>{t('chain.steps.none')}</p>}
      <FormActions>
        <Button onPress={onTakeOver}>{t('chain.conflict.theirs')}</Button>
        <Button onPress={onOverwrite} isPending={isPending}>
          {t('chain.conflict.mine')}
        </Button>
      </FormActions>
    </div>
  );
}
