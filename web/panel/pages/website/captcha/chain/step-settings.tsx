import { useText } from '../../../../language.js';
import { Button } from '../../../../parts/buttons/button.js';
import { TextField } from '../../../../parts/fields/text-field.js';
import { useFaultWords } from '../../../../parts/form/fault-words.js';
import { FormState } from '../../../../parts/form/form-state.js';
import type { TextId } from '../../../../texts/text-id.js';
import { CredentialsCheck } from './credentials-check.js';
import { type FieldFault, requires, type StepDraft, type StepField, settingsOf } from './draft.js';
import styles from './step-settings.module.css';
import { USUAL_SCORE } from './visitor-words.js';

type Props = {
  websiteId: string;
  step: StepDraft;
  name: string;
  /** Its place in the chain, from 0, which has so many steps. */
  position: number;
  count: number;
  faults: readonly FieldFault[];
  /** What the gateway says of fields. */
  refused: readonly Readonly<{ field: StepField; message: string }>[];
  isChanged: boolean;
  /** Without these it is only shown. */
  onChange?(changes: Partial<StepDraft>): void;
  onRemove?(): void;
  onMove?(by: -1 | 1): void;
};

/** Maximum length of each setting. */
const LENGTHS = { siteKey: 500, secret: 1000, projectId: 255, apiKey: 1000, minScore: 10 } as const;

/** What is wrong with a field, in words. */
const WORDS = {
  missing: { usual: 'field.missing' },
  taken: { usual: 'chain.fault.taken' },
  unusable: { usual: 'chain.fault.name', minScore: 'chain.fault.score' },
} as const satisfies Record<FieldFault['fault'], { usual: TextId; minScore?: TextId }>;

/** The settings of a step. A secret is never shown: it is kept, or replaced by one that is typed. */
export function StepSettings(props: Props) {
  const { websiteId, step, name, position, count, faults, refused, isChanged } = props;
  const { onChange, onRemove, onMove } = props;
  const t = useText();
  const faultWords = useFaultWords();
  const messages: Record<string, string> = {};
  for (const { field, message } of refused) {
    messages[field] = t('chain.fault.gateway', { message: faultWords({ [field]: [message] })[field]! });
  }
  for (const { field, fault } of faults) {
    const words = WORDS[fault];
    messages[field] = t(field === 'minScore' && 'minScore' in words ? words.minScore : words.usual);
  }
  const isSaved = (setting: string) =>
    (setting === 'secret' && step.hasSecret) || (setting === 'apiKey' && step.hasApiKey);
  return (
    <section className={styles.step} aria-label={t('chain.settings', { step: name })}>
      <header className={styles.header}>
        <h3>{name}</h3>
        {onRemove && (
          <div className={styles.actions}>
            <Button variant="quiet" isDisabled={position === 0} onPress={() => onMove?.(-1)}>
              {t('chain.up')}
            </Button>
            <Button variant="quiet" isDisabled={position === count - 1} onPress={() => onMove?.(1)}>
              {t('chain.down')}
            </Button>
            <Button variant="quiet" onPress={onRemove}>
              {t('chain.remove')}
            </Button>
          </div>
        )}
      </header>
      <FormState value={{ isTried: false, messages }}>
        <div className={styles.fields}>
          {!step.isStored && (step.type !== 'altcha' || step.identifier !== '') && (
            <TextField
              name="key"
              label={t('chain.key')}
              hint={t('chain.key.text')}
              maxLength={100}
              value={step.identifier}
              onChange={(identifier) => onChange?.({ identifier })}
            />
          )}
          {settingsOf(step.type).map((setting) => (
            <TextField
              key={setting}
              name={setting}
              label={t(`chain.${setting}`)}
              type={setting === 'secret' || setting === 'apiKey' ? 'password' : 'text'}
              autoComplete="off"
              spellCheck="false"
              maxLength={LENGTHS[setting]}
              isRequired={requires(step.type, setting) && !isSaved(setting)}
              isReadOnly={!onChange}
              placeholder={isSaved(setting) ? t('chain.secret.saved') : undefined}
              hint={hintOf(setting)}
              value={step[setting]}
              onChange={(value) => onChange?.({ [setting]: value })}
            />
          ))}
          {settingsOf(step.type).length === 0 && <p className={styles.none}>{t('chain.noSettings')}</p>}
        </div>
      </FormState>
      {onChange && settingsOf(step.type).length > 0 && (
        <CredentialsCheck websiteId={websiteId} step={step} name={name} isChanged={isChanged} />
      )}
    </section>
  );

  function hintOf(setting: string): string | undefined {
    if (isSaved(setting)) return t(onChange ? 'chain.secret.text' : 'chain.secret.readOnly');
    if (setting === 'minScore') return t('chain.minScore.text', { score: USUAL_SCORE });
    return setting === 'secret' && !requires(step.type, 'secret') ? t('chain.optional') : undefined;
  }
}
