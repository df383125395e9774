import { z } from 'zod';
import { conditionSchemas } from '../forms/definition/condition.schema.js';
import { condition, visibility } from '../forms/definition/form.schema.js';
import { documentSchema } from './document.schema.js';

const OPTIONS: Parameters<typeof z.toJSONSchema>[1] = {
  io: 'input',
  // JSON has no maps; those of `mapping` are written as objects.
  unrepresentable: 'any',
  override({ zodSchema, jsonSchema }) {
    if (zodSchema === condition) jsonSchema.$ref = '#/$defs/condition';
    if (zodSchema === visibility) {
      jsonSchema.anyOf = [{ type: 'null' }, { $ref: '#/$defs/condition' }];
    }
    if (zodSchema instanceof z.ZodMap) {
      const { keyType, valueType } = zodSchema;
      const { $schema, ...mapping } = z.toJSONSchema(z.record(keyType as z.ZodString, valueType), OPTIONS);
      Object.assign(jsonSchema, mapping);
    }
  },
};

/** Builds the JSON Schema of the provision document, for completion and checks in editors. */
export function documentJsonSchema(): object {
  const schema = z.toJSONSchema(documentSchema([]), OPTIONS);
  return {
    ...schema,
    title: 'Formgate provision document',
    $defs: { ...schema.$defs, ...conditionSchemas('#/$defs') },
  };
}
