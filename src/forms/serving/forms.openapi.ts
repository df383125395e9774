import { InjectionPosition } from '../../generated/prisma/enums.js';
import {
  headerRef,
  jsonAnswer,
  listOf,
  notModified,
  nullable,
  object,
  operation,
  type Piece,
  schemaOf,
} from '../../http/openapi.js';
import {
  originParameter,
  ownPageHeaders,
  PAGE_ERRORS,
  pageHeaders,
  websiteParameter,
} from '../../websites/page.openapi.js';
import { conditionSchemas } from '../definition/condition.schema.js';
import { FIELD_TYPES } from '../definition/form-definition.js';
import { ENTRY, MAX_ENTRIES } from './config-query.js';

const tag = 'Forms';
const text = { type: 'string' };
const flag = { type: 'boolean' };
const texts = { type: 'object', additionalProperties: text };
const httpAddress = { ...text, pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' };

/** Pattern of one entry, without the anchors of its expression. */
const ENTRY_PATTERN = ENTRY.source.slice(1, -1);

const { condition, rule } = conditionSchemas('#/components/schemas');

const field = object({
  name: { ...text, description: 'The key in the body of a submission.' },
  label: text,
  type: { enum: FIELD_TYPES },
  is_required: flag,
  show_label: flag,
  is_multiple: flag,
  placeholder: nullable(text),
  help_text: nullable(text),
  link_url: nullable(httpAddress),
  options: listOf(object({ value: text, label: text })),
  attributes: { ...texts, description: 'HTML attributes, such as `maxlength`.' },
  visibility: {
    anyOf: [{ type: 'null' }, schemaOf('condition')],
    description: 'When the field is shown; null: always.',
  },
});

const definition = {
  ...object({
    slug: text,
    locale: { ...text, description: 'Of all the texts; what is not translated is in the source language.' },
    submit_button_text: text,
    fields: listOf(schemaOf('FormField')),
    privacy_notice: object({ text: nullable(text), url: nullable(httpAddress) }),
    css_selector: nullable(text),
    injection_position: { enum: Object.values(InjectionPosition) },
    html_wrapper: nullable(text),
    appearance: {
      ...texts,
      propertyNames: { pattern: '^--' },
      description: 'Custom properties for the form.',
    },
  }),
  description: 'A form in one language, with the settings of its placement on the website.',
};

const EXAMPLE = {
  forms: {
    'contact~fr': {
      slug: 'contact',
      locale: 'fr',
      submit_button_text: 'Envoyer',
      fields: [
        {
          name: 'email',
          label: 'E-mail',
          type: 'email',
          is_required: true,
          show_label: true,
          is_multiple: false,
          placeholder: 'vous@exemple.fr',
          help_text: null,
          link_url: null,
          options: [],
          attributes: {},
          visibility: null,
        },
      ],
      privacy_notice: { text: null, url: null },
      css_selector: 'main .contact',
      injection_position: 'inside',
      html_wrapper: null,
      appearance: {},
    },
    'quote~fr': null,
  },
};

const cached = {
  ...ownPageHeaders,
  'Cache-Control': headerRef('FiveMinutes'),
  ETag: headerRef('EntityTag'),
  'X-Form-Versions': headerRef('FormVersions'),
};

/** The configuration endpoint. */
export const formsPiece: Piece = {
  tag: { name: tag, description: 'What a page needs to show its forms.' },
  schemas: { FormDefinition: definition, FormField: field, condition, rule },
  paths: {
    '/api/websites/{website}/forms/config': {
      get: operation({
        operationId: 'configureForms',
        tag,
        summary: 'Get the definitions of forms',
        security: [],
        description:
          'Send the entries deduplicated and sorted, so that pages with the same forms share one cached answer.',
        parameters: [
          websiteParameter,
          originParameter,
          {
            name: 'f',
            in: 'query',
            required: true,
            example: 'contact~fr,quote~fr',
            description: `Entries \`slug~lang\` with commas between them, ${MAX_ENTRIES} at most. \`lang\` is a base language such as \`fr\`, or empty to let the server choose.`,
            schema: { type: 'string', pattern: `^${ENTRY_PATTERN}(,${ENTRY_PATTERN})*$` },
          },
          {
            name: 'If-None-Match',
            in: 'header',
            required: false,
            schema: text,
            description: 'The `ETag` of what you have.',
          },
        ],
        headers: pageHeaders,
        isLimited: true,
        answers: {
          200: jsonAnswer(
            'One key for each entry, as it was sent. Null: the form does not exist, is disabled, or is not placed on this website.',
            object({
              forms: {
                type: 'object',
                additionalProperties: { anyOf: [schemaOf('FormDefinition'), { type: 'null' }] },
              },
            }),
            EXAMPLE,
            cached,
          ),
          304: notModified(cached),
        },
        errors: [...PAGE_ERRORS, 'Invalid'],
      }),
    },
  },
};
