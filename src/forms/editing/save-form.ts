import { isDeepStrictEqual } from 'node:util';
import { type Actor, recordAudit } from '../../audit/audit.js';
import type { Transaction } from '../../db/client.js';
import { jsonColumn } from '../../db/json-column.js';
import type { Outcome } from '../../lib/changes.js';
import { recordFormChange } from '../../webhooks/outbox.queries.js';
import { type FormContent, formContent, type StoredForm } from '../definition/form.mapper.js';
import type { FieldDefinition } from '../definition/form-definition.js';
import { deleteOldVersions, keepVersion } from '../history/form-versions.queries.js';
import {
  deleteOtherFields,
  replaceFieldTranslations,
  replaceOptions,
  upsertFields,
} from './forms.queries.js';

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

/** Saves the fields that have changed; how many statements that takes does not depend on options and translations. */
async function saveFields(
  tx: Transaction,
  formId: number,
  fields: readonly FieldDefinition[],
  before: readonly FieldDefinition[],
): Promise<void> {
  await deleteOtherFields(tx, { formId, names: fields.map(({ name }) => name) });
  const wasOf = new Map(before.map((field) => [field.name, field]));
  const changed = fields
    .map((field, position) => ({ ...field, position }))
    .filter((_, position) => !isDeepStrictEqual(fields[position], before[position]));
  if (changed.length === 0) return;
  const ids = await upsertFields(tx, formId, changed);
  const saved = changed.map((field) => ({
    ...field,
    id: ids.get(field.name)!,
    was: wasOf.get(field.name) ?? null,
  }));
  await replaceOptions(
    tx,
    saved.filter(({ options, was }) => !isDeepStrictEqual(options, was?.options ?? [])),
  );
  await replaceFieldTranslations(
    tx,
    saved.filter(({ translations, was }) => !isDeepStrictEqual(translations, was?.translations ?? {})),
  );
}
