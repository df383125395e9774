import { useMutation } from '@tanstack/react-query';
import { useText } from '../../../../language.js';
import { Button } from '../../../../parts/buttons/button.js';
import { ErrorBox } from '../../../../parts/feedback/error-box.js';
import { AlertIcon } from '../../../../parts/icons/alert-icon.js';
import { CheckIcon } from '../../../../parts/icons/icons.js';
import { checkStep } from '../queries.js';
import styles from './credentials-check.module.css';
import type { StepDraft } from './draft.js';

type Props = { websiteId: string; step: StepDraft; name: string; isChanged: boolean };

/** The providers that check the site key as well as the secret when they are asked. */
const CHECKS_SITE_KEY: readonly StepDraft['type'][] = ['hcaptcha', 'recaptcha_enterprise'];

/** Asks the provider whether the stored credentials of a step are right, and says the outcome in words. */
export function CredentialsCheck({ websiteId, step, name, isChanged }: Props) {
  const t = useText();
  const check = useMutation({ mutationFn: () => checkStep(websiteId, step.id) });
  const checksSiteKey = String(CHECKS_SITE_KEY.includes(step.type));
  return (
    <div className={styles.check}>
      <Button onPress={() => check.mutate()} isPending={check.isPending} isDisabled={isChanged}>
        {t('check.button')}
      </Button>
      {isChanged && <p className={styles.hint}>{t('check.saveFirst')}</p>}
      <div role="status">
        {!isChanged && check.data && (
          <p className={styles.outcome} data-outcome={check.data}>
            {check.data === 'ACCEPTED' ? <CheckIcon /> : <AlertIcon />}
            <span>{t(`check.outcome.${check.data}`, { step: name, checksSiteKey })}</span>
          </p>
        )}
      </div>
      {check.error && <ErrorBox error={check.error} />}
    </div>
  );
}
