import {
  parseStepKey,
  SETTINGS_BY_TYPE,
  type StepSetting,
  stepKey,
} from '../../../../../../src/captcha/step.js';

export type CaptchaType = keyof typeof SETTINGS_BY_TYPE;

/** A step as the gateway takes it. A secret that is null stays as it is. */
type StepInput = Readonly<{
  key: string;
  siteKey: string | null;
  secret: string | null;
  projectId: string | null;
  apiKey: string | null;
  minScore: number | null;
}>;

/** A step as the gateway tells it: no secret, only whether there is one. */
export type StoredStep = Readonly<{
  key: string;
  type: CaptchaType;
  siteKey: string | null;
  hasSecret: boolean;
  projectId: string | null;
  hasApiKey: boolean;
  minScore: number | null;
}>;

/** A step while it is edited: texts as they are typed. An empty secret keeps the stored one. */
export type StepDraft = Readonly<{
  /** Stays the same while the step is edited: the key of a stored step. */
  id: string;
  isStored: boolean;
  type: CaptchaType;
  /** What follows the colon in the key; empty for a proof of work. */
  identifier: string;
  siteKey: string;
  secret: string;
  hasSecret: boolean;
  projectId: string;
  apiKey: string;
  hasApiKey: boolean;
  minScore: string;
}>;

/** A field of a step. */
export type StepField = StepSetting | 'key';

/** What is wrong with a field: nothing in it, an unusable text, or a name that another step has. */
export type Fault = 'missing' | 'unusable' | 'taken';
export type FieldFault = Readonly<{ id: string; field: StepField; fault: Fault }>;

export const TYPES = Object.keys(SETTINGS_BY_TYPE) as readonly CaptchaType[];

const SETTINGS = ['siteKey', 'projectId', 'secret', 'apiKey', 'minScore'] as const;

/** The settings that steps of a type have, in the order in which they are asked for. */
export const settingsOf = (type: CaptchaType): readonly StepSetting[] =>
  SETTINGS.filter((setting) =>
    [...SETTINGS_BY_TYPE[type].required, ...SETTINGS_BY_TYPE[type].optional].includes(setting),
  );

/** Whether steps of a type must have a setting. */
export const requires = (type: CaptchaType, setting: StepSetting): boolean =>
  SETTINGS_BY_TYPE[type].required.includes(setting);

/** The key of a step as it stands, such as `turnstile:main`. */
export const keyOf = ({ type, identifier }: StepDraft): string => stepKey({ type, identifier });

/** Begins to edit a stored chain. `decimal`: the sign in fractions that the viewer's language has. */
export const draftOf = (chain: readonly StoredStep[], decimal: string): StepDraft[] =>
  chain.map(({ key, type, siteKey, hasSecret, projectId, hasApiKey, minScore }) => ({
    id: key,
    isStored: true,
    type,
    identifier: parseStepKey(key)?.identifier ?? '',
    siteKey: siteKey ?? '',
    secret: '',
    hasSecret,
    projectId: projectId ?? '',
    apiKey: '',
    hasApiKey,
    minScore: minScore === null ? '' : String(minScore).replace('.', decimal),
  }));

/**
 * The first of `main`, `main2`, … that no step of the type has; a proof of work is nameless while it is the only one.
 */
function freeIdentifier(chain: readonly StepDraft[], type: CaptchaType): string {
  const taken = chain.filter((step) => step.type === type).map(({ identifier }) => identifier);
  const names = [type === 'altcha' ? '' : 'main', ...taken.map((_, index) => `main${index + 2}`)];
  return names.find((name) => !taken.includes(name))!;
}

/** Adds a step at the end of a chain, under an id that none has had. */
export function addStep(chain: readonly StepDraft[], type: CaptchaType, id: string): StepDraft[] {
  const step: StepDraft = {
    id,
    isStored: false,
    type,
    identifier: freeIdentifier(chain, type),
    siteKey: '',
    secret: '',
    hasSecret: false,
    projectId: '',
    apiKey: '',
    hasApiKey: false,
    minScore: '',
  };
  return [...chain, step];
}

/** Makes a new step of a stored one that was saved away with its secrets, which are asked for. */
const asNew = (step: StepDraft): StepDraft =>
  step.isStored
    ? { ...step, id: `restored-${step.id}`, isStored: false, hasSecret: false, hasApiKey: false }
    : step;

/** Puts a removed step back, unless it is there; one whose removal was saved is a new one. */
export function restoreStep(
  chain: readonly StepDraft[],
  stored: readonly StepDraft[],
  step: StepDraft,
  at: number,
): readonly StepDraft[] {
  const restored = stored.some(({ id }) => id === step.id) ? step : asNew(step);
  return chain.some(({ id }) => id === step.id || id === restored.id)
    ? chain
    : chain.toSpliced(at, 0, restored);
}

/** Reads a threshold, in either notation of fractions; null where none is typed, undefined where it is none. */
export function readScore(text: string): number | null | undefined {
  if (text.trim() === '') return null;
  const score = Number(text.trim().replace(',', '.'));
  return score >= 0 && score <= 1 ? score : undefined;
}

/** The secrets that are stored for a step. */
const isKept = (step: StepDraft, setting: StepSetting): boolean =>
  (setting === 'secret' && step.hasSecret) || (setting === 'apiKey' && step.hasApiKey);

/** Lists what is wrong with a chain before it is sent; the gateway has the last word. */
export function faultsOf(chain: readonly StepDraft[]): FieldFault[] {
  return chain.flatMap((step, index) => {
    const { id, type } = step;
    const isTaken = chain.slice(0, index).some((other) => keyOf(other) === keyOf(step));
    const faults: [StepField, Fault | false][] = [
      ['key', (!parseStepKey(keyOf(step)) && 'unusable') || (isTaken && 'taken')],
      ...settingsOf(type).map((setting): [StepField, Fault | false] => {
        const isMissing = requires(type, setting) && step[setting].trim() === '' && !isKept(step, setting);
        const isUnusable = setting === 'minScore' && readScore(step.minScore) === undefined;
        return [setting, (isMissing && 'missing') || (isUnusable && 'unusable')];
      }),
    ];
    return faults.flatMap(([field, fault]) => (fault ? [{ id, field, fault }] : []));
  });
}

/** Returns what the gateway saves: settings that the type has, and secrets only where one was typed. */
export const inputOf = (chain: readonly StepDraft[]): StepInput[] =>
  chain.map((step) => {
    const has = new Set(settingsOf(step.type));
    const text = (setting: 'siteKey' | 'secret' | 'projectId' | 'apiKey') =>
      has.has(setting) ? step[setting].trim() || null : null;
    return {
      key: keyOf(step),
      siteKey: text('siteKey'),
      secret: text('secret'),
      projectId: text('projectId'),
      apiKey: text('apiKey'),
      minScore: has.has('minScore') ? (readScore(step.minScore) ?? null) : null,
    };
  });

/** Whether a step differs from what is stored. */
export function isStepChanged(step: StepDraft, stored: readonly StepDraft[]): boolean {
  const before = stored.find(({ id }) => id === step.id);
  return !before || JSON.stringify(inputOf([step])) !== JSON.stringify(inputOf([before]));
}

/** Lists the settings of a step, of those that show, that the same step has otherwise in another chain. */
export function differingSettings(step: StepDraft, chain: readonly StepDraft[]) {
  const other = chain.find(({ id }) => id === step.id);
  const shown = ['siteKey', 'projectId', 'minScore'] as const;
  return other ? shown.filter((setting) => step[setting].trim() !== other[setting].trim()) : [];
}

/** Whether a chain differs from what is stored: in a step, or in their order. */
export const isChainChanged = (chain: readonly StepDraft[], stored: readonly StepDraft[]): boolean =>
  JSON.stringify(inputOf(chain)) !== JSON.stringify(inputOf(stored));

/**
 * Goes on with steps after they were saved as sent: they have the ids of stored ones, and keep the secrets that were
 * typed. One that was sent as removed, and is there again, is new.
 */
export const rebase = (chain: readonly StepDraft[], sent: readonly StepDraft[]): StepDraft[] =>
  chain.map((step) => {
    const saved = sent.find(({ id }) => id === step.id);
    if (!saved) return asNew(step);
    return {
      ...step,
      id: keyOf(saved),
      isStored: true,
      hasSecret: step.hasSecret || saved.secret !== '',
      hasApiKey: step.hasApiKey || saved.apiKey !== '',
      secret: step.secret === saved.secret ? '' : step.secret,
      apiKey: step.apiKey === saved.apiKey ? '' : step.apiKey,
    };
  });

/** Returns the field that a path of the gateway's faults is about, such as `links.2.siteKey`. */
export function fieldAt(chain: readonly StepDraft[], path: string): { id: string; field: StepField } | null {
  const [, index, field] = /^links\.(\d+)\.(\w+)$/.exec(path) ?? [];
  const step = chain[Number(index)];
  const isField = field === 'key' || SETTINGS.some((setting) => setting === field);
  return step && isField ? { id: step.id, field: field as StepField } : null;
}
