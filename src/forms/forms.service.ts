import type { Prisma } from '../generated/prisma/client.js';
import type { Database } from '../lib/prisma.js';
import type { Condition } from './conditions.js';
import type { FieldDefinition, FormDefinition } from './form-definition.js';

/** A form as it stands on one website: its definition, and the settings of the link. */
export type LinkedForm = Readonly<{
  id: number;
  /** For the panel and for e-mails to the client. */
  name: string;
  definition: FormDefinition;
  /** The link's own message, for the website's language only; null: the form's. */
  messageOverride: string | null;
  /** The link's recipients, else the form's; empty: the website's e-mail. */
  recipients: readonly string[];
}>;

const formInclude = {
  translations: true,
  fields: {
    orderBy: { position: 'asc' },
    include: {
      translations: true,
      options: { orderBy: { position: 'asc' }, include: { translations: true } },
    },
  },
} satisfies Prisma.FormInclude;

type FormRow = Prisma.FormGetPayload<{ include: typeof formInclude }>;
type FieldRow = FormRow['fields'][number];

function fieldOf(row: FieldRow): FieldDefinition {
  const { type, name, label, isRequired, showLabel, isMultiple, placeholder, helpText, linkUrl } = row;
  const translations: FieldDefinition['translations'] = {};
  for (const { locale, ...texts } of row.translations) {
    translations[locale] = {
      label: texts.label,
      placeholder: texts.placeholder,
      helpText: texts.helpText,
      linkUrl: texts.linkUrl,
    };
  }
  for (const option of row.options) {
    for (const { locale, label: translated } of option.translations) {
      const translation = (translations[locale] ??= {});
      translation.options = { ...translation.options, [option.value]: translated };
    }
  }
  return {
    ...{ type, name, label, isRequired, showLabel, isMultiple, placeholder, helpText, linkUrl },
    options: row.options.map((option) => ({ value: option.value, label: option.label })),
    attributes: row.attributes as Record<string, string>,
    visibility: row.visibility as Condition | null,
    translations,
  };
}

function definitionOf(row: FormRow): FormDefinition {
  const { slug, version, sourceLocale } = row;
  return {
    ...{ slug, version, sourceLocale },
    texts: {
      submitButtonText: row.submitButtonText,
      confirmationMessage: row.confirmationMessage,
      privacyNoticeText: row.privacyNoticeText,
      privacyNoticeUrl: row.privacyNoticeUrl,
    },
    fields: row.fields.map(fieldOf),
    translations: Object.fromEntries(
      row.translations.map(({ formId: _, locale, ...texts }) => [locale, texts]),
    ),
  };
}

export type Forms = ReturnType<typeof createForms>;

export function createForms({ db }: { db: Database }) {
  return {
    /**
     * The form of a slug on a website.
     *
     * @returns null when it does not exist, is inactive, or is not linked to this website or only by a
     * disabled link (interface 7).
     */
    async findLinked(websiteId: string, slug: string): Promise<LinkedForm | null> {
      const link = await db.formLink.findFirst({
        where: { websiteId, enabled: true, form: { slug, active: true } },
        include: { form: { include: formInclude } },
      });
      if (!link) return null;
      return {
        id: link.formId,
        name: link.form.name,
        definition: definitionOf(link.form),
        messageOverride: link.confirmationMessage,
        recipients: link.recipients.length > 0 ? link.recipients : link.form.recipients,
      };
    },

    /**
     * What an e-mail about a submission of a form needs, whether or not the form is still active or
     * linked by then.
     */
    async findForEmail(websiteId: string, formId: number): Promise<LinkedForm> {
      const form = await db.form.findUniqueOrThrow({ where: { id: formId }, include: formInclude });
      const link = await db.formLink.findUnique({ where: { websiteId_formId: { websiteId, formId } } });
      return {
        id: form.id,
        name: form.name,
        definition: definitionOf(form),
        messageOverride: link?.confirmationMessage ?? null,
        recipients: link && link.recipients.length > 0 ? link.recipients : form.recipients,
      };
    },
  };
}
