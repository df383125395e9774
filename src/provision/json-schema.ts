import { z } from 'zod';
import { conditionSchemas } from '../forms/condition-schema.js';
import { visibility } from '../forms/form-values.js';
import { documentSchema } from './document-schema.js';

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
    $defs: { ...schema.$defs, ...conditionSchemas('#/$defs') },
  };
}
