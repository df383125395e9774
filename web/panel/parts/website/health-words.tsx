import type { graphql } from '../../graphql.js';
import { useText } from '../../language.js';
import { Badge } from '../layout/badge.js';
import styles from './health-words.module.css';

const TONES = { URGENT: 'danger', WARNING: 'warning', NOTICE: 'neutral' } as const;

type Item = {
  kind: ReturnType<typeof graphql.scalar<'AttentionKind'>>;
  severity: ReturnType<typeof graphql.scalar<'Severity'>>;
};

type Props = {
  disabled: boolean;
  health: readonly Item[];
  /** Whether its latest test passed; null: none has ended lately. */
  lastProbeOk: boolean | null;
  leadsPerDay: readonly number[];
  team: Readonly<{ active: boolean }>;
};

/**
 * Says in words what needs attention about a website, each kind once, the most urgent first; that all is well only
 * where the last test or, without one, a lead has shown it.
 */
export function HealthWords({ disabled, health, lastProbeOk, leadsPerDay, team }: Props) {
  const t = useText();
  const isWell = lastProbeOk ?? leadsPerDay.some((count) => count > 0);
  const untroubled = isWell ? 'health.well' : lastProbeOk === null ? 'health.untested' : 'health.testFailed';
  const shown = health.filter(({ kind }, at) => health.findIndex((other) => other.kind === kind) === at);
  return (
    <span className={styles.words}>
      {!disabled && team.active && health.length === 0 && (
        <span className={styles.well}>{t(untroubled)}</span>
      )}
      {!team.active && <Badge tone="warning">{t('website.suspended')}</Badge>}
      {disabled && <Badge tone="warning">{t('website.disabled')}</Badge>}
      {shown.map(({ kind, severity }) => (
        <Badge key={kind} tone={TONES[severity]}>
          {t(`health.kind.${kind}`)}
        </Badge>
      ))}
    </span>
  );
}
