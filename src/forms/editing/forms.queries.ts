import type { Db, Transaction } from '../../db/client.js';
import { Prisma } from '../../generated/prisma/client.js';
import { FORM_INCLUDE, type StoredForm, type StoredOption } from '../definition/form.mapper.js';
import type { FieldDefinition } from '../definition/form-definition.js';

/** Reads a form and locks its row, so that concurrent changes wait until the transaction ends. */
export async function lockForm(
  tx: Transaction,
  { teamId, slug }: { teamId: number; slug: string },
): Promise<StoredForm | null> {
  await tx.$queryRaw`SELECT 1 FROM forms WHERE team_id = ${teamId} AND slug = ${slug} FOR NO KEY UPDATE`;
  return tx.form.findUnique({ where: { teamId_slug: { teamId, slug } }, include: FORM_INCLUDE });
}

/** A form's rows: itself, its fields, their options, and the translations of all these. */
type FormSize = Readonly<{ id: number; rows: number }>;

/** Counts the rows of forms, in any order. */
export const readFormSizes = (db: Db, ids: readonly number[]): Promise<FormSize[]> => db.orm.$queryRaw`
  SELECT f.id, (1
      + (SELECT count(*) FROM form_translations WHERE form_id = f.id)
      + (SELECT count(*) FROM form_fields WHERE form_id = f.id)
      + (SELECT count(*) FROM form_fields d JOIN field_translations t ON t.field_id = d.id WHERE d.form_id = f.id)
      + (SELECT count(*) FROM form_fields d JOIN field_options o ON o.field_id = d.id WHERE d.form_id = f.id)
      + (SELECT count(*) FROM form_fields d
           JOIN field_options o ON o.field_id = d.id
           JOIN option_translations t ON t.option_id = o.id
          WHERE d.form_id = f.id))::int AS rows
    FROM forms f
   WHERE f.id = ANY (${[...ids]}::int[])`;

/**
 * Reads the options of fields with their translations, in order, by field. Each field's come as one JSON text: a row
 * for each of thousands of options would take the event loop ten times as long.
 */
export async function readOptions(db: Db, fieldIds: readonly number[]): Promise<Map<number, StoredOption[]>> {
  const rows = await db.sql<{ fieldId: number; json: string }>(Prisma.sql`
    SELECT o.field_id AS "fieldId",
           json_agg(json_build_object('value', o.value, 'label', o.label, 'translations', coalesce(
             (SELECT json_agg(json_build_object('locale', t.locale, 'label', t.label))
                FROM option_translations t WHERE t.option_id = o.id),
             '[]')) ORDER BY o.position)::text AS json
      FROM field_options o
     WHERE o.field_id = ANY (${[...fieldIds]}::int[])
     GROUP BY o.field_id`);
  return new Map(rows.map(({ fieldId, json }) => [fieldId, JSON.parse(json)]));
}

/** A field at its place in the form. */
type PlacedField = FieldDefinition & Readonly<{ position: number }>;

/** Deletes the fields of a form that have none of these names. */
export async function deleteOtherFields(
  tx: Transaction,
  { formId, names }: Readonly<{ formId: number; names: readonly string[] }>,
): Promise<void> {
  await tx.$executeRaw`DELETE FROM form_fields WHERE form_id = ${formId} AND name <> ALL (${[...names]}::text[])`;
}

/**
 * Saves fields without their options and translations; one of the same name keeps its id. Prisma would compile a
 * statement for 200 fields for 40 ms, so all are one parameter.
 *
 * @returns the id of each by its name.
 */
export async function upsertFields(
  tx: Transaction,
  formId: number,
  fields: readonly PlacedField[],
): Promise<Map<string, number>> {
  const rows = fields.map(({ options: _, translations: __, ...row }) => row);
  const saved = await tx.$queryRaw<{ id: number; name: string }[]>`
    INSERT INTO form_fields (form_id, position, name, type, label, is_required, show_label, is_multiple, placeholder,
                             help_text, link_url, attributes, visibility)
    SELECT ${formId}, n.position, n.name, n.type, n.label, n."isRequired", n."showLabel", n."isMultiple",
           n.placeholder, n."helpText", n."linkUrl", n.attributes, n.visibility
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS n (
             position int, name text, type field_type, label text, "isRequired" boolean, "showLabel" boolean,
             "isMultiple" boolean, placeholder text, "helpText" text, "linkUrl" text, attributes jsonb,
             visibility jsonb)
     ORDER BY n.position
    ON CONFLICT (form_id, name) DO UPDATE
       SET position = excluded.position, type = excluded.type, label = excluded.label,
           is_required = excluded.is_required, show_label = excluded.show_label, is_multiple = excluded.is_multiple,
           placeholder = excluded.placeholder, help_text = excluded.help_text, link_url = excluded.link_url,
           attributes = excluded.attributes, visibility = excluded.visibility
    RETURNING id, name`;
  return new Map(saved.map(({ id, name }) => [name, id]));
}

/**
 * Replaces the options of fields by those that they are to have, in two statements; an option of the same value keeps
 * its id.
 */
export async function replaceOptions(
  tx: Transaction,
  fields: readonly Readonly<{ id: number; options: FieldDefinition['options'] }>[],
): Promise<void> {
  if (fields.length === 0) return;
  const fieldIds = fields.map(({ id }) => id);
  const options = fields.flatMap(({ id, options }) => options.map((option) => ({ ...option, fieldId: id })));
  const positions = fields.flatMap(({ options }) => [...options.keys()]);
  const rows = Prisma.sql`
    unnest(${options.map(({ fieldId }) => fieldId)}::int[], ${options.map(({ value }) => value)}::text[],
           ${positions}::int[], ${options.map(({ label }) => label)}::text[]) AS n (field_id, value, position, label)`;
  await tx.$executeRaw`
    DELETE FROM field_options o
     WHERE o.field_id = ANY (${fieldIds}::int[])
       AND (o.field_id, o.value) NOT IN (SELECT n.field_id, n.value FROM ${rows})`;
  await tx.$executeRaw`
    INSERT INTO field_options (field_id, value, position, label)
    SELECT n.field_id, n.value, n.position, n.label FROM ${rows} ORDER BY n.field_id, n.position
    ON CONFLICT (field_id, value) DO UPDATE SET position = excluded.position, label = excluded.label`;
}

/** Replaces the translations of fields and of their options, however many. A label whose option is gone is left out. */
export async function replaceFieldTranslations(
  tx: Transaction,
  fields: readonly Readonly<{ id: number; translations: FieldDefinition['translations'] }>[],
): Promise<void> {
  if (fields.length === 0) return;
  const fieldIds = fields.map(({ id }) => id);
  const entries = fields.flatMap(({ id, translations }) =>
    Object.entries(translations).map(([locale, translation]) => ({ fieldId: id, locale, ...translation })),
  );
  const texts = entries.flatMap(({ fieldId, locale, options: _, ...own }) =>
    Object.keys(own).length > 0 ? [{ fieldId, locale, ...own }] : [],
  );
  const labels = entries.flatMap(({ fieldId, locale, options }) =>
    Object.entries(options ?? {}).map(([value, label]) => ({ fieldId, locale, value, label })),
  );
  await tx.$executeRaw`DELETE FROM field_translations WHERE field_id = ANY (${fieldIds}::int[])`;
  await tx.$executeRaw`
    DELETE FROM option_translations t USING field_options o
     WHERE t.option_id = o.id AND o.field_id = ANY (${fieldIds}::int[])`;
  await tx.$executeRaw`
    INSERT INTO field_translations (field_id, locale, label, placeholder, help_text, link_url)
    SELECT n."fieldId", n.locale, n.label, n.placeholder, n."helpText", n."linkUrl"
      FROM jsonb_to_recordset(${JSON.stringify(texts)}::jsonb) AS n (
             "fieldId" int, locale text, label text, placeholder text, "helpText" text, "linkUrl" text)`;
  await tx.$executeRaw`
    INSERT INTO option_translations (option_id, locale, label)
    SELECT o.id, n.locale, n.label
      FROM jsonb_to_recordset(${JSON.stringify(labels)}::jsonb) AS n (
             "fieldId" int, locale text, value text, label text)
      JOIN field_options o ON o.field_id = n."fieldId" AND o.value = n.value`;
}
