import type { Actor } from '../accounts/audit.js';
import type { FormLink } from '../generated/prisma/client.js';
import { groupBy } from '../lib/group-by.js';
import { type Database, isReferenceViolation } from '../lib/prisma.js';
import { lockWebsite } from '../websites/save-website.js';
import { type FormLinkSettings, removeFormLink, saveFormLink } from './form-links.js';

type OfTeam<Id> = Readonly<{ id: Id; teamId: number }>;

export type FormLinks = ReturnType<typeof createFormLinks>;

/** Which forms stand on which websites, as the panel sees and changes it. */
export function createFormLinks({ db }: { db: Database }) {
  return {
    /** The links of websites, each list in the order of the forms' ids. */
    async ofWebsites(websiteIds: readonly string[]): Promise<FormLink[][]> {
      const rows = await db.formLink.findMany({
        where: { websiteId: { in: [...websiteIds] } },
        orderBy: { formId: 'asc' },
      });
      const byWebsite = groupBy(rows, ({ websiteId }) => websiteId);
      return websiteIds.map((id) => byWebsite.get(id) ?? []);
    },

    /** The links of forms, each list in the order of the websites' ids. */
    async ofForms(formIds: readonly number[]): Promise<FormLink[][]> {
      const rows = await db.formLink.findMany({
        where: { formId: { in: [...formIds] } },
        orderBy: { websiteId: 'asc' },
      });
      const byForm = groupBy(rows, ({ formId }) => formId);
      return formIds.map((id) => byForm.get(id) ?? []);
    },

    /**
     * Puts a form on a website of its team, or changes how it stands there.
     *
     * @returns null when one of the two has gone meanwhile.
     */
    async save(website: OfTeam<string>, settings: FormLinkSettings, actor: Actor): Promise<FormLink | null> {
      const { formId } = settings;
      try {
        return await db.$transaction(async (tx) => {
          if (!(await lockWebsite(tx, website.id))) return null;
          await saveFormLink(tx, website, settings, actor);
          return tx.formLink.findUnique({
            where: { websiteId_formId: { websiteId: website.id, formId } },
          });
        });
      } catch (error) {
        if (isReferenceViolation(error)) return null;
        throw error;
      }
    },

    /** Takes a form off a website. @returns false when it was not on it. */
    remove(website: OfTeam<string>, formId: number, actor: Actor): Promise<boolean> {
      return db.$transaction((tx) => removeFormLink(tx, website, formId, actor));
    },
  };
}
