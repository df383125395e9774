import type { Db } from '../db/client.js';
import { isForeignKeyViolation } from '../db/database-errors.js';
import { websiteNotFound } from '../errors.js';
import type { PageView } from './visit-body.js';
import { hashVisitor, todaysSalt } from './visitor-hash.js';

/** The visitor of a page. Neither the IP address nor the browser's name is stored. */
export type Visitor = Readonly<{ websiteId: string; address: string; userAgent: string }>;

export type Visits = ReturnType<typeof createVisits>;

/** Records the page views of websites. */
export function createVisits({ db }: { db: Db }) {
  return {
    /**
     * Records a page view.
     *
     * @returns the visitor's hash of today, which attributes a later submission to the first visit.
     * @throws 404 when the website has been deleted meanwhile.
     */
    async record(visitor: Visitor, view: PageView): Promise<string> {
      const visitorHash = hashVisitor(await todaysSalt(db), visitor);
      await db.orm.visit
        .create({ data: { ...view, websiteId: visitor.websiteId, visitorHash } })
        .catch((error) => {
          throw isForeignKeyViolation(error) ? websiteNotFound() : error;
        });
      return visitorHash;
    },
  };
}
