import { parseStepKey } from '../../../src/captcha/step.js';
import type { useText } from '../language.js';

type Identified = NonNullable<ReturnType<typeof parseStepKey>>;

/** Names a step by its provider, with its own name where the chain has another one of that provider. */
export function nameStep(
  step: Identified,
  chain: readonly Identified[],
  t: ReturnType<typeof useText>,
): string {
  const type = t(`step.type.${step.type}`);
  const isAlone = !chain.some((other) => other.type === step.type && other.identifier !== step.identifier);
  return isAlone || step.identifier === '' ? type : t('step.named', { type, name: step.identifier });
}

/** Names a step by its key, among those of the other keys. */
export function nameKey(key: string, keys: readonly string[], t: ReturnType<typeof useText>): string {
  const step = parseStepKey(key);
  return step
    ? nameStep(
        step,
        keys.map(parseStepKey).filter((one) => one !== null),
        t,
      )
    : key;
}

/** Names the steps of a chain in their order. */
export function nameChain(
  chain: readonly Readonly<{ key: string }>[],
  t: ReturnType<typeof useText>,
): string {
  const keys = chain.map(({ key }) => key);
  return keys.map((key) => nameKey(key, keys, t)).join(' → ');
}
