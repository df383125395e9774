import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { buildSchema, execute, parse } from 'graphql';
import { boundAnswers, emptyAnswer, MAX_ANSWER } from '../../../src/graphql/answer-bound.js';

const schema = boundAnswers(
  buildSchema(`
    type Thing { name: String! things(count: Int!): [Thing!]! names: [String!] }
    type Query { things(count: Int!): [Thing!]! late(count: Int!): [Thing!]! }
    type Mutation { make(count: Int!): [Thing!]! change: Int }`),
);

/** Things that have things, and a count of those that anything was asked of. */
function world() {
  const asked = { things: 0, changes: 0 };
  const things = ({ count }: { count: number }): object[] => Array.from({ length: count }, thing);
  const thing = () => ({
    name: () => {
      asked.things += 1;
      return 'a';
    },
    things,
    names: ['a', 'b'],
  });
  const change = () => {
    asked.changes += 1;
    return asked.changes;
  };
  return {
    asked,
    rootValue: { things, late: async (of: { count: number }) => things(of), make: things, change },
  };
}

async function ask(query: string) {
  const { asked, rootValue } = world();
  const answer = emptyAnswer();
  const result = await execute({ schema, document: parse(query), rootValue, contextValue: { answer } });
  return { asked, answer, result };
}

describe('an answer', () => {
  test('counts each entry of a list with its selected fields, fragments included', async () => {
    const { answer } = await ask(
      '{ things(count: 3) { ...of ... { names } } } fragment of on Thing { name more: name }',
    );
    // Three things with three fields each, and two names for each of them.
    expect(answer.fields).toBe(3 * 4 + 3 * 2);
  });

  test.each(['things', 'late'])('is built up to the bound, and refused beyond it: %s', async (list) => {
    const half = MAX_ANSWER / 2;
    const whole = await ask(`{ ${list}(count: ${half}) { name } }`);
    expect(whole.result.errors).toBeUndefined();
    expect(whole.asked.things).toBe(half);
    const { result, asked, answer } = await ask(`{ ${list}(count: ${half + 1}) { name } }`);
    expect(result.errors).toEqual([answer.fault]);
    expect(answer.fault!.message).toContain(String(MAX_ANSWER));
    expect(asked.things).toBe(0);
  });

  test('is stopped while it grows', async () => {
    const { result, asked, answer } = await ask(
      '{ things(count: 300) { name things(count: 300) { name things(count: 300) { name } } } }',
    );
    expect(result.errors).toHaveLength(1);
    expect(asked.things).toBeLessThan(MAX_ANSWER);
    expect(answer.fields).toBeLessThan(MAX_ANSWER * 2);
  });

  test('that is large yields to the event loop', async () => {
    let isOver = false;
    let turns = 0;
    const asking = ask('{ things(count: 20) { things(count: 1000) { name } } }').finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await nextTurn();
      turns += 1;
    }
    expect((await asking).result.errors).toBeUndefined();
    expect(turns).toBeGreaterThan(5);
  });

  test('that is refused executes no further mutation', async () => {
    const { result, asked, answer } = await ask(
      `mutation { first: change make(count: ${MAX_ANSWER}) { name } second: change }`,
    );
    expect(result.errors).toEqual([answer.fault]);
    expect(asked.changes).toBe(1);
  });
});
