import type { FormLink } from '../generated/prisma/client.js';
import type { Database } from '../lib/prisma.js';
import type { FormDefinition } from './form-definition.js';
import { FORM_INCLUDE, formContent, type StoredForm } from './stored-form.js';

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

function linkedForm(form: StoredForm, link: FormLink | null): LinkedForm {
  return {
    id: form.id,
    name: form.name,
    definition: formContent(form),
    messageOverride: link?.confirmationMessage ?? null,
    recipients: link?.recipients.length ? link.recipients : form.recipients,
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
        include: { form: { include: FORM_INCLUDE } },
      });
      return link && linkedForm(link.form, link);
    },

    /**
     * What an e-mail about a submission of a form needs, whether or not the form is still active or
     * linked by then.
     */
    async findForEmail(websiteId: string, formId: number): Promise<LinkedForm> {
      const form = await db.form.findUniqueOrThrow({
        where: { id: formId },
        include: { ...FORM_INCLUDE, links: { where: { websiteId } } },
      });
      return linkedForm(form, form.links[0] ?? null);
    },
  };
}
