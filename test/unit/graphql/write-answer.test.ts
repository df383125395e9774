import { describe, expect, test } from '@jest/globals';
import { buildSchema, execute, parse } from 'graphql';
import { writeAnswer } from '../../../src/graphql/write-answer.js';

const schema = buildSchema(
  'scalar Json type Thing { name: String! } type Query { thing: Thing, json: Json }',
);

async function answered(query: string, rootValue: object) {
  const result = await execute({ schema, document: parse(query), rootValue });
  return { ...result, ...(result.errors && { errors: result.errors.map((error) => error.toJSON()) }) };
}

describe('an answer', () => {
  test('is written in full, and releases its data', async () => {
    const answer = await answered('{ thing { name } }', { thing: { name: 'a' } });
    const { thing } = answer.data as { thing: object };
    expect(JSON.parse(writeAnswer(answer))).toEqual({ data: { thing: { name: 'a' } } });
    expect(Object.keys(thing)).toEqual([]);
    expect(Object.keys(answer.data!)).toEqual([]);
  });

  test('does not modify JSON values of the resolvers', async () => {
    const json = { kept: true };
    expect(JSON.parse(writeAnswer(await answered('{ json }', { json })))).toEqual({ data: { json } });
    expect(json).toEqual({ kept: true });
  });

  test('is written with its errors, with data or without', async () => {
    const failed = await answered('{ thing { name } }', { thing: { name: null } });
    expect(JSON.parse(writeAnswer(failed))).toMatchObject({
      data: { thing: null },
      errors: [{ path: ['thing', 'name'] }],
    });
    const errors = [{ message: 'no' }];
    expect(JSON.parse(writeAnswer({ errors }))).toEqual({ errors });
  });
});
