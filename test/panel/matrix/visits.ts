import type { Rows } from './row.js';

const rows: Rows = {
  'Query.visitStatistics': {
    query: `query ($websiteId: ID!) {
      visitStatistics(websiteId: $websiteId, from: "2026-01-01", to: "2026-01-02") {
        perDay { day pageViews } topPages { pageUrl } attribution(by: UTM_SOURCE) { value }
        breakdown(by: PAGE) { total items { value } }
      }
    }`,
    variables: ({ websiteId }) => ({ websiteId }),
    allowed: ['staff', 'owner', 'admin', 'member'],
    scope: 'team',
  },
};

export default rows;
