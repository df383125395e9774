import { useIntl } from 'react-intl';
import { useText } from '../../../language.js';
import { AlertIcon } from '../../../parts/icons/alert-icon.js';
import { CheckIcon, WaitIcon } from '../../../parts/icons/icons.js';
import styles from './probe-steps.module.css';
import type { Probe, ProbeStep } from './queries.js';

const NAMES = ['page', 'configuration', 'signature', 'captcha', 'recorded', 'email'] as const;

/** How a step stands: the words of `probe.state.…`. */
type State = 'passed' | 'failed' | 'running' | 'waiting' | 'skipped';

const ICONS = {
  passed: <CheckIcon />,
  failed: <AlertIcon />,
  running: <WaitIcon />,
  waiting: <WaitIcon />,
  skipped: <WaitIcon />,
} as const;

function stateOf(step: ProbeStep | undefined, isRunning: boolean, isNext: boolean): State {
  if (step) return step.ok ? 'passed' : 'failed';
  if (!isRunning) return 'skipped';
  return isNext ? 'running' : 'waiting';
}

/** The steps of a probe, those that are still to come as well: what each came to, how long it took, what to do. */
export function ProbeSteps({ steps, isRunning }: { steps: Probe['steps']; isRunning: boolean }) {
  const t = useText();
  return (
    <ol className={styles.steps} aria-label={t('probe.steps')}>
      {NAMES.map((name, index) => {
        const step = steps.find((each) => each.name === name);
        const state = stateOf(step, isRunning, index === steps.length);
        return (
          <li key={name} data-state={state}>
            {ICONS[state]}
            <div>
              <p className={styles.line}>
                <span className={styles.name}>{t(`probe.step.${name}`)}</span>
                <span className={styles.state}>{t(`probe.state.${state}`)}</span>
                {step && <Duration ms={step.ms} />}
              </p>
              {step?.explanation && <p>{step.explanation}</p>}
              {step?.detail && (
                <p className={styles.detail} lang="en" dir="auto">
                  {step.detail}
                </p>
              )}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

function Duration({ ms }: { ms: number }) {
  const { formatNumber } = useIntl();
  return (
    <span className={styles.duration}>
      {formatNumber(ms, { style: 'unit', unit: 'millisecond', unitDisplay: 'short' })}
    </span>
  );
}
