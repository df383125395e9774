import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { ErrorBox } from '../../parts/feedback/error-box.js';
import { Progress } from '../../parts/feedback/progress.js';
import { AlertIcon } from '../../parts/icons/alert-icon.js';
import { CheckIcon } from '../../parts/icons/icons.js';
import { nameKey } from '../../parts/step-name.js';
import styles from '../captcha.module.css';
import { type CheckedStep, checkPage } from './queries.js';

type State = Readonly<{ checked: readonly CheckedStep[]; total: number | null }>;

/** The providers that check the site key as well as the secret when they are asked. */
const CHECKS_SITE_KEY = /^(hcaptcha|recaptcha_enterprise):/;

/** Asks the providers whether the stored credentials of all steps are right, and lists those that are not. */
export function Credentials({ team }: { team: string | undefined }) {
  const t = useText();
  const [{ checked, total }, setState] = useState<State>({ checked: [], total: null });
  const check = useMutation({
    async mutationFn() {
      let all: CheckedStep[] = [];
      setState({ checked: all, total: null });
      for (let after: string | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
        const page: Awaited<ReturnType<typeof checkPage>> = await checkPage(team, after);
        all = [...all, ...page.checked];
        setState({ checked: all, total: page.total });
        after = page.next;
      }
    },
  });
  const wrong = checked.filter(({ outcome }) => outcome !== 'ACCEPTED');
  return (
    <>
      <p className={styles.hint}>{t('console.checkText')}</p>
      <div className={styles.check}>
        <Button onPress={() => check.mutate()} isPending={check.isPending}>
          {t('check.button')}
        </Button>
        {check.isPending && <Progress label={t('console.checking')} done={checked.length} total={total} />}
      </div>
      <div role="status">
        {check.isSuccess && (
          <p className={styles.well}>
            {wrong.length === 0 ? <CheckIcon /> : <AlertIcon />}
            {t('console.checked', { count: checked.length, right: checked.length - wrong.length })}
          </p>
        )}
      </div>
      {wrong.length > 0 && (
        <ul className={styles.troubles} aria-label={t('console.wrong')}>
          {wrong.map(({ websiteId, linkKey, outcome, website }) => (
            <li key={`${websiteId} ${linkKey}`}>
              <AlertIcon />
              <div>
                <Link
                  to="/websites/$websiteId"
                  params={{ websiteId }}
                  search={{ ...(team && { team }), tab: 'captcha', step: linkKey }}
                >
                  {website.name}
                </Link>
                <p>
                  {t(`check.outcome.${outcome}`, {
                    step: nameKey(linkKey, [linkKey], t),
                    checksSiteKey: String(CHECKS_SITE_KEY.test(linkKey)),
                  })}
                </p>
              </div>
            </li>
          ))}
        </ul>
      )}
      {check.error && <ErrorBox error={check.error} onRetry={() => check.mutate()} />}
    </>
  );
}
