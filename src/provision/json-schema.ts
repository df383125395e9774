import { z } from 'zod';
import { OPERATORS } from '../forms/conditions.js';
import { visibility } from '../forms/form-values.js';
import { documentSchema } from './document-schema.js';

const scalar = { type: ['string', 'number', 'boolean'] };

/** Conditions are checked by the module that evaluates them, so their JSON Schema stands here. */
const CONDITION = {
  type: 'object',
  description: 'Show the field when all or any of the rules hold',
  properties: {
    match: { enum: ['all', 'any'] },
    rules: {
      type: 'array',
      minItems: 1,
      items: { anyOf: [{ $ref: '#/$defs/rule' }, { $ref: '#/$defs/condition' }] },
    },
  },
  required: ['match', 'rules'],
  additionalProperties: false,
};

const RULE = {
  type: 'object',
  properties: {
    field: { type: 'string' },
    operator: { enum: OPERATORS },
    value: { anyOf: [scalar, { type: 'array', items: scalar }] },
  },
  required: ['field', 'operator'],
  additionalProperties: false,
};

/** The provision document as a JSON Schema, for completion and checks while it is being written. */
export function documentJsonSchema(): object {
  const schema = z.toJSONSchema(documentSchema([]), {
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      if (zodSchema === visibility) {
        jsonSchema.anyOf = [{ type: 'null' }, { $ref: '#/$defs/condition' }];
      }
    },
  });
  return {
    ...schema,
    title: 'Formgate provision document',
    $defs: { ...schema.$defs, condition: CONDITION, rule: RULE },
  };
}
