import { type Actor, recordAudit } from '../../audit/audit.js';
import type { Transaction } from '../../db/client.js';
import type { SecretColumn } from '../../db/secrets.queries.js';
import type { CaptchaStep } from '../../generated/prisma/client.js';
import { changes } from '../../lib/changes.js';
import type { Cipher } from '../../lib/crypto/cipher.js';
import { parseStepKey, SETTINGS_BY_TYPE, stepKey } from '../step.js';

/** A captcha step to save. An omitted secret keeps the stored one. */
export type StepSettings = Readonly<{
  key: string;
  siteKey: string | null;
  secret?: string | undefined;
  projectId: string | null;
  apiKey?: string | undefined;
  minScore: number | null;
}>;

type Secret = 'secret' | 'api-key';

type SecretOwner = Pick<CaptchaStep, 'websiteId' | 'type' | 'identifier'>;

/** Returns the purpose that binds an encrypted secret to its website, step and column. */
const purpose = (websiteId: string, key: string, secret: Secret): string =>
  `captcha:${websiteId}:${key}:${secret}`;

const secretColumn = (kind: string, column: string, secret: Secret): SecretColumn<SecretOwner> => ({
  kind,
  table: 'captcha_links',
  idType: 'int',
  column,
  properties: ', website_id::text AS "websiteId", type::text AS type, identifier',
  purposeOf: (step) => purpose(step.websiteId, stepKey(step), secret),
});

/** The columns of the secrets of captcha steps, for `formgate rekey`. */
export const stepSecrets: readonly SecretColumn<SecretOwner>[] = [
  secretColumn('secret of captcha step', 'secret_cipher', 'secret'),
  secretColumn('API key of captcha step', 'api_key_cipher', 'api-key'),
];

/** Decrypts a secret of a stored captcha step; null when it has none. */
export function decryptStepSecret(cipher: Cipher, step: CaptchaStep, secret: Secret): string | null {
  const sealed = secret === 'secret' ? step.secretCipher : step.apiKeyCipher;
  return sealed && cipher.decrypt(sealed, purpose(step.websiteId, stepKey(step), secret)).toString();
}

/**
 * Finds the secrets that captcha steps need and that are neither given nor stored.
 *
 * @returns the position of each such step and the setting that it lacks.
 */
export async function missingSecrets(
  tx: Transaction,
  websiteId: string,
  steps: readonly Pick<StepSettings, 'key' | 'secret' | 'apiKey'>[],
): Promise<{ index: number; setting: 'secret' | 'apiKey' }[]> {
  const stored = await tx.captchaStep.findMany({ where: { websiteId } });
  return steps.flatMap(({ key, secret, apiKey }, index) => {
    const { required } = SETTINGS_BY_TYPE[parseStepKey(key)!.type];
    const before = stored.find((step) => stepKey(step) === key);
    const lacksSecret = required.includes('secret') && secret === undefined && !before?.secretCipher;
    const lacksApiKey = required.includes('apiKey') && apiKey === undefined && !before?.apiKeyCipher;
    return [
      ...(lacksSecret ? [{ index, setting: 'secret' as const }] : []),
      ...(lacksApiKey ? [{ index, setting: 'apiKey' as const }] : []),
    ];
  });
}

/** Reads the captcha chain of a website with its secrets, to be saved as that of another. */
export async function readChain(
  { tx, cipher }: { tx: Transaction; cipher: Cipher },
  websiteId: string,
): Promise<StepSettings[]> {
  const stored = await tx.captchaStep.findMany({ where: { websiteId }, orderBy: { position: 'asc' } });
  return stored.map((step) => ({
    key: stepKey(step),
    siteKey: step.siteKey,
    secret: decryptStepSecret(cipher, step, 'secret') ?? undefined,
    projectId: step.projectId,
    apiKey: decryptStepSecret(cipher, step, 'api-key') ?? undefined,
    minScore: step.minScore,
  }));
}

/**
 * Replaces the captcha chain of a website, in this order, and deletes the steps that are not in it.
 *
 * @param steps the steps, with keys that `parseStepKey` accepts, each once
 * @returns whether anything changed.
 */
export async function saveChain(
  { tx, cipher }: { tx: Transaction; cipher: Cipher },
  website: { id: string; teamId: number },
  steps: readonly StepSettings[],
  actor: Actor,
): Promise<boolean> {
  const stored = await tx.captchaStep.findMany({ where: { websiteId: website.id } });
  const gone = stored.filter((step) => !steps.some(({ key }) => key === stepKey(step)));
  await tx.captchaStep.deleteMany({ where: { id: { in: gone.map(({ id }) => id) } } });
  let changed = gone.length > 0;

  /** Decrypts a stored secret. One encrypted under another APP_KEY counts as none, so that a given one replaces it. */
  const readable = (step: CaptchaStep, name: Secret): string | null => {
    try {
      return decryptStepSecret(cipher, step, name);
    } catch {
      return null;
    }
  };

  /** Encrypts a secret unless it is unchanged, since a new ciphertext would rewrite the row. */
  const seal = (before: CaptchaStep | undefined, key: string, name: Secret, plain: string | undefined) => {
    const sealed = (name === 'secret' ? before?.secretCipher : before?.apiKeyCipher) ?? null;
    if (plain === undefined || (before && readable(before, name) === plain)) return sealed;
    return cipher.encrypt(plain, purpose(website.id, key, name));
  };

  for (const [position, { key, secret, apiKey, ...settings }] of steps.entries()) {
    const before = stored.find((step) => stepKey(step) === key);
    const row = {
      ...settings,
      position,
      secretCipher: seal(before, key, 'secret', secret),
      apiKeyCipher: seal(before, key, 'api-key', apiKey),
    };
    if (!before) {
      await tx.captchaStep.create({ data: { ...row, ...parseStepKey(key)!, websiteId: website.id } });
      changed = true;
      continue;
    }
    const difference = changes(before, row);
    if (!difference) continue;
    await tx.captchaStep.update({ where: { id: before.id }, data: difference });
    changed = true;
  }
  if (changed) {
    await recordAudit(tx, actor, {
      teamId: website.teamId,
      action: 'captcha_chain.updated',
      subject: ['website', website.id],
      detail: { keys: steps.map(({ key }) => key) },
    });
  }
  return changed;
}
