import { v7 as uuid } from 'uuid';
import { type Actor, recordAudit } from '../../audit/audit.js';
import { asIs, recordedChange, type Shown, withoutQuery } from '../../audit/recorded-change.js';
import type { Transaction } from '../../db/client.js';
import { lockRow } from '../../db/row-lock.js';
import type { Website } from '../../generated/prisma/client.js';
import { changes, given, type Outcome } from '../../lib/changes.js';
import type { Cipher } from '../../lib/crypto/cipher.js';
import { contentVersion } from '../../lib/crypto/content-version.js';
import { generateSignatureKey } from '../signatures/signature-key.js';
import { countVisitsOf, deleteVisits, endDirectory, lockWebsiteRow } from '../websites.queries.js';

type Settings = Omit<Website, 'id' | 'teamId' | 'signatureKeyCipher' | 'createdAt' | 'updatedAt'>;

type Required = 'name' | 'host' | 'url' | 'locale' | 'email';

/** Settings that a new website requires. */
export const REQUIRED_SETTINGS = [
  'name',
  'host',
  'url',
  'locale',
  'email',
] as const satisfies readonly Required[];

/** Settings of a website; `departments` are codes that exist, each once. */
export type WebsiteSettings = Partial<Settings> & { departments?: readonly string[] };

/** How the audit trail records the settings. */
const SHOWN: Shown<keyof WebsiteSettings> = {
  name: asIs,
  host: asIs,
  url: withoutQuery,
  locale: asIs,
  timeZone: asIs,
  disabled: asIs,
  email: asIs,
  company: asIs,
  address: asIs,
  zipcode: asIs,
  city: asIs,
  country: asIs,
  phone: asIs,
  logo: withoutQuery,
  departments: asIs,
};

export type StoredWebsite = Website & { departments: { departmentCode: string }[] };

const SETTINGS = Object.keys(SHOWN) as readonly (keyof WebsiteSettings)[];

/** Identifies the settings of a website, with the codes of its departments. */
export function websiteVersion(website: Settings, departments: readonly string[]): string {
  const settings = { ...website, departments: [...departments].sort() };
  return contentVersion(SETTINGS.map((setting) => settings[setting]));
}

/**
 * Maximum websites of a team that the panel creates: ten times those of a large agency. A provision document may have
 * more, because an operator writes it.
 */
export const MAX_WEBSITES = 5_000;

/** Locks a team until the transaction ends, and tells whether it may have so many websites more. */
export async function hasRoomForWebsites(tx: Transaction, teamId: number, count: number): Promise<boolean> {
  await lockRow(tx, 'teams', teamId, 'NO KEY UPDATE');
  return (await tx.website.count({ where: { teamId } })) + count <= MAX_WEBSITES;
}

/** Creates a website with its own signature key. */
export async function createWebsite(
  { tx, cipher }: { tx: Transaction; cipher: Cipher },
  { id = uuid(), teamId }: { id?: string; teamId: number },
  settings: WebsiteSettings & Pick<Settings, Required>,
  actor: Actor,
): Promise<Website> {
  const { departments = [], ...columns } = settings;
  const website = await tx.website.create({
    data: {
      ...columns,
      id,
      teamId,
      signatureKeyCipher: generateSignatureKey(cipher, id),
      departments: { create: departments.map((departmentCode) => ({ departmentCode })) },
    },
  });
  await endDirectory(tx, teamId);
  await recordAudit(tx, actor, {
    teamId,
    action: 'website.created',
    subject: ['website', id],
    detail: { host: website.host },
  });
  return website;
}

/** Updates the given settings of a website that differ. Departments replace the stored ones. */
export async function updateWebsite(
  tx: Transaction,
  stored: StoredWebsite,
  { departments, ...settings }: WebsiteSettings,
  actor: Actor,
): Promise<Outcome> {
  const wanted = given({ ...settings, departments: departments && [...departments].sort() });
  const before = { ...stored, departments: stored.departments.map((row) => row.departmentCode).sort() };
  const changed = changes(before, wanted);
  if (!changed) return 'unchanged';
  const { departments: codes, ...columns } = changed;
  await tx.website.update({
    where: { id: stored.id },
    data: {
      ...columns,
      // Prisma sets it with a column of the website alone, and the directory shows the departments with it.
      updatedAt: new Date(),
      ...(codes && {
        departments: {
          deleteMany: { departmentCode: { notIn: codes } },
          create: codes
            .filter((code) => !before.departments.includes(code))
            .map((departmentCode) => ({ departmentCode })),
        },
      }),
    },
  });
  await endDirectory(tx, stored.teamId);
  await recordAudit(tx, actor, {
    teamId: stored.teamId,
    action: 'website.updated',
    subject: ['website', stored.id],
    detail: recordedChange(
      Object.keys(changed) as (keyof WebsiteSettings)[],
      { before, after: changed },
      SHOWN,
    ),
  });
  return 'updated';
}

/** Reads a website and locks its row, so that concurrent changes wait until the transaction ends. */
export async function lockWebsite(tx: Transaction, id: string): Promise<StoredWebsite | null> {
  await lockWebsiteRow(tx, id);
  return tx.website.findUnique({
    where: { id },
    include: { departments: { select: { departmentCode: true } } },
  });
}

/**
 * Maximum number of visits that one statement deletes. Those of a website lie scattered over the table, so that each
 * may take a read of the disk.
 */
const VISITS_BATCH_SIZE = 2_000;

/**
 * Deletes a website with its placements, captcha chain, visits, incidents and probes. The database refuses this while
 * the website has submissions.
 */
export async function deleteWebsite(
  tx: Transaction,
  { id, teamId, host }: Pick<Website, 'id' | 'teamId' | 'host'>,
  actor: Actor,
): Promise<void> {
  await countVisitsOf(tx, id);
  let deleted: number;
  do {
    deleted = await deleteVisits(tx, id, VISITS_BATCH_SIZE);
  } while (deleted === VISITS_BATCH_SIZE);
  await tx.submission.deleteMany({ where: { websiteId: id, testRecipient: { not: null } } });
  await tx.website.delete({ where: { id } });
  await endDirectory(tx, teamId);
  await recordAudit(tx, actor, {
    teamId,
    action: 'website.deleted',
    subject: ['website', id],
    detail: { host },
  });
}

/**
 * Replaces the signature key of a website. Signatures made with the former key are refused from the commit
 * on; pages request a new signature by themselves.
 */
export async function regenerateSignatureKey(
  { tx, cipher }: { tx: Transaction; cipher: Cipher },
  { id, teamId }: Pick<Website, 'id' | 'teamId'>,
  actor: Actor,
): Promise<void> {
  await tx.website.update({ where: { id }, data: { signatureKeyCipher: generateSignatureKey(cipher, id) } });
  // Prisma has set `updatedAt`, which the directory shows.
  await endDirectory(tx, teamId);
  await recordAudit(tx, actor, {
    teamId,
    action: 'website.signature_key_regenerated',
    subject: ['website', id],
  });
}
