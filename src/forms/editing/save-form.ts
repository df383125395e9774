import { isDeepStrictEqual } from 'node:util';
import { type Actor, recordAudit } from '../../audit/audit.js';
import type { Transaction } from '../../db/client.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { Outcome } from '../../lib/changes.js';
import { recordFormChange } from '../../webhooks/outbox.queries.js';
import { type FormContent, formContent, type StoredForm } from '../definition/form.mapper.js';
import type { FieldDefinition } from '../definition/form-definition.js';
import { deleteOldVersions, keepVersion } from '../history/form-versions.queries.js';

/** Translated labels that one statement writes: Prisma compiles a statement in one turn, some 50 ms for a thousand rows. */
const LABELS_AT_ONCE = 100;

type FormToSave = Readonly<{
  teamId: number;
  /** What `lockForm` has read; null for a new form. */
  stored: StoredForm | null;
  /** Has passed `formFaults`. */
  content: FormContent;
  /** The version that is restored, for the audit trail. */
  restored?: number | null;
}>;

/**
 * Saves a whole form: its row, fields, options and translations. Fields are matched by name and options
 * by value, so their ids survive. A real change increments the version, which is kept for the form's history; without
 * one no row is written.
 */
export async function saveForm(
  tx: Transaction,
  { teamId, stored, content, restored = null }: FormToSave,
  actor: Actor,
): Promise<{ id: number; outcome: Outcome }> {
  const before = stored && formContent(stored);
  if (stored && isDeepStrictEqual({ ...content, version: stored.version }, before)) {
    return { id: stored.id, outcome: 'unchanged' };
  }
  // It is not kept yet when a process of the version before has saved it.
  if (stored && before) await keepVersion(tx, { formId: stored.id, version: stored.version }, before);
  const row = {
    name: content.name,
    active: content.active,
    sourceLocale: content.sourceLocale,
    recipients: content.recipients,
    recipientRules: content.recipientRules as unknown as Prisma.InputJsonValue,
    ...content.texts,
  };
  const { id, version } = stored
    ? await tx.form.update({ where: { id: stored.id }, data: { ...row, version: { increment: 1 } } })
    : await tx.form.create({ data: { ...row, teamId, slug: content.slug } });
  await saveFields(tx, id, content.fields, before?.fields ?? []);
  if (!isDeepStrictEqual(content.translations, before?.translations ?? {})) {
    await tx.formTranslation.deleteMany({ where: { formId: id } });
    await tx.formTranslation.createMany({
      data: Object.entries(content.translations).map(([locale, texts]) => ({ formId: id, locale, ...texts })),
    });
  }
  const outcome = stored ? 'updated' : 'created';
  await recordAudit(tx, actor, {
    teamId,
    action: restored === null ? `form.${outcome}` : 'form.restored',
    subject: ['form', id],
    detail: { slug: content.slug, version, ...(restored !== null && { restored }) },
  });
  const change = restored === null ? outcome : 'restored';
  await recordFormChange(tx, { teamId, formId: id, slug: content.slug, name: content.name, version, change });
  await keepVersion(tx, { formId: id, version }, content);
  await deleteOldVersions(tx, { formId: id, version });
  return { id, outcome };
}

async function saveFields(
  tx: Transaction,
  formId: number,
  fields: readonly FieldDefinition[],
  before: readonly FieldDefinition[],
): Promise<void> {
  await tx.formField.deleteMany({ where: { formId, name: { notIn: fields.map(({ name }) => name) } } });
  for (const [position, field] of fields.entries()) {
    if (isDeepStrictEqual(field, before[position])) continue;
    const { name, options, translations, ...settings } = field;
    const row = {
      ...settings,
      position,
      visibility: (field.visibility as Prisma.InputJsonValue | null) ?? Prisma.DbNull,
    };
    const { id } = await tx.formField.upsert({
      where: { formId_name: { formId, name } },
      create: { ...row, formId, name },
      update: row,
    });
    const was = before.find((candidate) => candidate.name === name) ?? { options: [], translations: {} };
    if (!isDeepStrictEqual(options, was.options)) await saveOptions(tx, id, options);
    if (!isDeepStrictEqual(translations, was.translations)) await saveFieldTranslations(tx, id, translations);
  }
}

async function saveOptions(
  tx: Transaction,
  fieldId: number,
  options: FieldDefinition['options'],
): Promise<void> {
  await tx.fieldOption.deleteMany({
    where: { fieldId, value: { notIn: options.map(({ value }) => value) } },
  });
  for (const [position, { value, label }] of options.entries()) {
    await tx.fieldOption.upsert({
      where: { fieldId_value: { fieldId, value } },
      create: { fieldId, position, value, label },
      update: { position, label },
    });
  }
}

async function saveFieldTranslations(
  tx: Transaction,
  fieldId: number,
  translations: FieldDefinition['translations'],
): Promise<void> {
  await tx.fieldTranslation.deleteMany({ where: { fieldId } });
  await tx.optionTranslation.deleteMany({ where: { option: { fieldId } } });
  const options = await tx.fieldOption.findMany({ where: { fieldId }, select: { id: true, value: true } });
  const idOf = new Map(options.map(({ id, value }) => [value, id]));
  const entries = Object.entries(translations);
  await tx.fieldTranslation.createMany({
    data: entries.flatMap(([locale, { options: _, ...texts }]) =>
      Object.keys(texts).length > 0 ? [{ fieldId, locale, ...texts }] : [],
    ),
  });
  const labels = entries.flatMap(([locale, translation]) =>
    Object.entries(translation.options ?? {}).flatMap(([value, label]) => {
      const optionId = idOf.get(value);
      return optionId === undefined ? [] : [{ optionId, locale, label }];
    }),
  );
  for (let at = 0; at < labels.length; at += LABELS_AT_ONCE) {
    await tx.optionTranslation.createMany({ data: labels.slice(at, at + LABELS_AT_ONCE) });
  }
}
