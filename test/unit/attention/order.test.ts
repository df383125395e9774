import { expect, jest, test } from '@jest/globals';
import type { AttentionItem } from '../../../src/attention/attention-item.js';
import { inOrder, pageOf } from '../../../src/attention/order.js';

const itemOf = (index: number): AttentionItem => ({
  kind: 'PROBE_FAILED',
  severity: index % 2 ? 'WARNING' : 'URGENT',
  since: new Date(Math.floor(index / 4)),
  teamId: 1,
  websiteId: String(index % 500),
  formId: null,
  subject: null,
  facts: {},
  action: 'RUN_PROBE',
});

test('the key of an item is written once for the order of a list, and a few times for a page of it', () => {
  const items = Array.from({ length: 1_000 }, (_, index) => itemOf((index * 7) % 1_000));
  const stringify = jest.spyOn(JSON, 'stringify');
  const ordered = inOrder(items);
  expect(stringify.mock.calls.length).toBeLessThanOrEqual(1_000);
  stringify.mockClear();
  const cursor = ['URGENT', 'WARNING'].indexOf(ordered[600]!.severity);
  const position = [
    cursor,
    -ordered[600]!.since.getTime(),
    JSON.stringify(['PROBE_FAILED', 1, ordered[600]!.websiteId, null, null]),
  ] as const;
  const forward = pageOf(ordered, { limit: 10, direction: 'forward', cursor: position });
  const backward = pageOf(ordered, { limit: 10, direction: 'backward', cursor: position });
  expect(stringify.mock.calls.length).toBeLessThan(50);
  stringify.mockRestore();
  expect(forward).toEqual(ordered.slice(601, 612));
  expect(backward).toEqual(ordered.slice(589, 600).toReversed());
  expect(pageOf(ordered, { limit: 2, direction: 'backward', cursor: null })).toEqual(
    ordered.slice(-3).toReversed(),
  );
  const isSorted = ordered.every((item, index) => {
    const next = ordered[index + 1];
    if (!next || item.severity !== next.severity) return !next || item.severity === 'URGENT';
    return item.since >= next.since;
  });
  expect(isSorted).toBe(true);
});
