import { OPERATORS } from './conditions.js';

const scalar = { type: ['string', 'number', 'boolean'] };

/**
 * Describes display conditions as JSON Schemas, for documentation. The module that evaluates conditions
 * validates them.
 *
 * @param folder Where the two schemas are placed in the document, as in `#/$defs`.
 */
export const conditionSchemas = (folder: string) => ({
  condition: {
    type: 'object',
    description: 'Holds when all or any of the rules do',
    properties: {
      match: { enum: ['all', 'any'] },
      rules: {
        type: 'array',
        minItems: 1,
        items: { anyOf: [{ $ref: `${folder}/rule` }, { $ref: `${folder}/condition` }] },
      },
    },
    required: ['match', 'rules'],
    additionalProperties: false,
  },
  rule: {
    type: 'object',
    properties: {
      field: { type: 'string' },
      operator: { enum: OPERATORS },
      value: { anyOf: [scalar, { type: 'array', items: scalar }] },
    },
    required: ['field', 'operator'],
    additionalProperties: false,
  },
});
