import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { buildSchema, execute, parse } from 'graphql';
import {
  boundAnswers,
  emptyAnswer,
  MAX_ANSWER,
  MAX_ANSWER_WEIGHT,
} from '../../../src/graphql/answer-bound.js';

const schema = boundAnswers(
  buildSchema(`
    type Thing { name: String! things(count: Int!): [Thing!]! names: [String!] }
    type Query { things(count: Int!): [Thing!]! late(count: Int!): [Thing!]! letters(count: Int!): [Letter!]! }
    type Letter { text: String! data: JSON }
    scalar JSON
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

describe('the texts of an answer', () => {
  /** Letters whose texts have 250,000 characters, as of the largest submission, or whose data is of many values. */
  async function read(query: string) {
    const asked = { lists: 0, letters: 0, turns: 0, mostInTurn: 0 };
    let inTurn = 0;
    const endTurn = () => {
      inTurn = 0;
      asked.turns += 1;
    };
    const text = 'a'.repeat(250_000);
    const letter = {
      text: () => {
        if (inTurn === 0) setImmediate(endTurn);
        inTurn += 1;
        asked.letters += 1;
        asked.mostInTurn = Math.max(asked.mostInTurn, inTurn);
        return text;
      },
      data: Array(10_000).fill(1),
    };
    const letters = async ({ count }: { count: number }) => {
      asked.lists += 1;
      await nextTurn();
      return Array(count).fill(letter);
    };
    const answer = emptyAnswer();
    const document = parse(query);
    const result = await execute({ schema, document, rootValue: { letters }, contextValue: { answer } });
    return { asked, answer, result };
  }

  test('are answered up to the bound, a few in each turn of the event loop', async () => {
    const { result, answer, asked } = await read('{ letters(count: 30) { text } }');
    expect(result.errors).toBeUndefined();
    expect(answer.weight).toBe(7_500_000);
    expect(asked.letters).toBe(30);
    expect(asked.mostInTurn).toBeLessThan(5);
  });

  test('are refused beyond the bound, which the error names, and not read to their end', async () => {
    const { result, answer, asked } = await read('{ letters(count: 1000) { text } }');
    expect(result.errors).toEqual([answer.fault]);
    expect(answer.fault!.message).toContain(String(MAX_ANSWER_WEIGHT));
    expect(asked.letters).toBeLessThan(40);
  });

  test('count each value of JSON as more than its characters', async () => {
    const { answer } = await read('{ letters(count: 2) { data } }');
    expect(answer.weight).toBeGreaterThan(2 * 10_000 * 10);
    const more = await read('{ letters(count: 100) { data } }');
    expect(more.result.errors).toContain(more.answer.fault);
  });

  test('end the loading of further fields of the query', async () => {
    const fields = Array.from({ length: 30 }, (_, n) => `a${n}: letters(count: 100) { text }`);
    const { result, answer, asked } = await read(`{ ${fields.join(' ')} }`);
    expect(result.errors).toContain(answer.fault);
    expect(asked.lists).toBeLessThan(7);
  });
});
