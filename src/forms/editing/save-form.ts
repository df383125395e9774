import { isDeepStrictEqual } from 'node:util';
import { type Actor, recordAudit } from '../../audit/audit.js';
import type { Transaction } from '../../db/client.js';
import { jsonColumn } from '../../db/json-column.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { Outcome } from '../../lib/changes.js';
import { recordFormChange } from '../../webhooks/outbox.queries.js';
import { type FormContent, formContent, type StoredForm } from '../definition/form.mapper.js';
import type { FieldDefinition } from '../definition/form-definition.js';
import { deleteOldVersions, keepVersion } from '../history/form-versions.queries.js';
import { insertOptionLabels, replaceOptions } from './forms.queries.js';

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
    recipientRules: jsonColumn(content.recipientRules),
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

type Field = FieldDefinition & Readonly<{ id: number; was: FieldDefinition | null }>;

/** Saves the fields that have changed; how many statements that takes does not depend on options and translations. */
async function saveFields(
  tx: Transaction,
  formId: number,
  fields: readonly FieldDefinition[],
  before: readonly FieldDefinition[],
): Promise<void> {
  await tx.formField.deleteMany({ where: { formId, name: { notIn: fields.map(({ name }) => name) } } });
  const wasOf = new Map(before.map((field) => [field.name, field]));
  const changed = [...fields.entries()].filter(
    ([position, field]) => !isDeepStrictEqual(field, before[position]),
  );
  const ids = new Map<string, number>();
  const added: Prisma.FormFieldCreateManyInput[] = [];
  for (const [position, { name, options: _, translations: __, ...settings }] of changed) {
    const visibility = (settings.visibility as Prisma.InputJsonValue | null) ?? Prisma.DbNull;
    const row = { ...settings, position, visibility };
    if (wasOf.has(name)) {
      const { id } = await tx.formField.update({
        where: { formId_name: { formId, name } },
        data: row,
        select: { id: true },
      });
      ids.set(name, id);
    } else {
      added.push({ ...row, formId, name });
    }
  }
  const rows = await tx.formField.createManyAndReturn({ data: added, select: { id: true, name: true } });
  for (const { id, name } of rows) ids.set(name, id);
  const saved = changed.map(([, field]) => ({
    ...field,
    id: ids.get(field.name)!,
    was: wasOf.get(field.name) ?? null,
  }));
  await replaceOptions(
    tx,
    saved.filter(({ options, was }) => !isDeepStrictEqual(options, was?.options ?? [])),
  );
  await saveFieldTranslations(
    tx,
    saved.filter(({ translations, was }) => !isDeepStrictEqual(translations, was?.translations ?? {})),
  );
}

async function saveFieldTranslations(tx: Transaction, fields: readonly Field[]): Promise<void> {
  if (fields.length === 0) return;
  const fieldId = { in: fields.map(({ id }) => id) };
  await tx.fieldTranslation.deleteMany({ where: { fieldId } });
  await tx.optionTranslation.deleteMany({ where: { option: { fieldId } } });
  const options = await tx.fieldOption.findMany({
    where: { fieldId },
    select: { id: true, fieldId: true, value: true },
  });
  const keyOf = (field: number, value: string) => `${field} ${value}`;
  const idOf = new Map(options.map((option) => [keyOf(option.fieldId, option.value), option.id]));
  const entries = fields.flatMap(({ id, translations }) =>
    Object.entries(translations).map(([locale, translation]) => ({ fieldId: id, locale, ...translation })),
  );
  await tx.fieldTranslation.createMany({
    data: entries.flatMap(({ fieldId, locale, options: _, ...texts }) =>
      Object.keys(texts).length > 0 ? [{ fieldId, locale, ...texts }] : [],
    ),
  });
  const labels = entries.flatMap(({ fieldId, locale, options }) =>
    Object.entries(options ?? {}).flatMap(([value, label]) => {
      const optionId = idOf.get(keyOf(fieldId, value));
      return optionId === undefined ? [] : [{ optionId, locale, label }];
    }),
  );
  await insertOptionLabels(tx, labels);
}
