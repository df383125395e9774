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
 * Reads the options of fields with their translations, in order, by field. Each field's come as one JSON text: a row for
 * each of thousands of options would take the event loop ten times as long.
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

/** Replaces the options of fields by those that they are to have, in two statements; an option of the same value keeps its id. */
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

/** Inserts translated labels of options in one statement, which Prisma would compile for 50 ms for a thousand rows. */
export async function insertOptionLabels(
  tx: Transaction,
  labels: readonly Readonly<{ optionId: number; locale: string; label: string }>[],
): Promise<void> {
  if (labels.length === 0) return;
  await tx.$executeRaw`
    INSERT INTO option_translations (option_id, locale, label)
    SELECT * FROM unnest(${labels.map(({ optionId }) => optionId)}::int[],
                         ${labels.map(({ locale }) => locale)}::text[],
                         ${labels.map(({ label }) => label)}::text[])`;
}
