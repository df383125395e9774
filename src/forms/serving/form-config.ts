import { createHash } from 'node:crypto';
import type { Placement } from '../../generated/prisma/client.js';
import { entityTag } from '../../http/etag.js';
import { textsOnly } from '../definition/form.mapper.js';
import type { FormDefinition } from '../definition/form-definition.js';
import { type LocalizedField, localizeForm } from '../definition/translate.js';
import { isPlainStyle, isPlainWrapper, namesWebOnly } from '../placements/placement-markup.js';

/** A piece of an answer, ready to be sent. */
type Fragment = Readonly<{ json: Buffer; digest: string }>;

/** A form definition (2.4) in two pieces: what is the form's in a language, and what is its link's. */
export type FormConfig = Readonly<{ form: Fragment; link: Fragment }>;

/**
 * An answer of the configuration endpoint, ready to be sent. The body's bytes are the characters of a text, which is one
 * piece of memory; a buffer is four, and with many websites none of them is in a cache of the processor's.
 */
export type ConfigAnswer = Readonly<{ etag: string; body: string }>;

/** The link's part of a definition. */
export type LinkConfig = Pick<Placement, 'cssSelector' | 'injectionPosition' | 'htmlWrapper' | 'appearance'>;

function fragment(text: string): Fragment {
  const json = Buffer.from(text);
  return { json, digest: createHash('sha256').update(json).digest('base64url') };
}

const fieldEntry = (field: LocalizedField) => ({
  name: field.name,
  label: field.label,
  type: field.type,
  is_required: field.isRequired,
  show_label: field.showLabel,
  is_multiple: field.isMultiple,
  placeholder: field.placeholder,
  help_text: field.helpText,
  link_url: field.linkUrl,
  options: field.options,
  attributes: field.attributes,
  visibility: field.visibility,
});

/** The beginning of a form definition: all that does not depend on the website. */
export function formFragment(form: FormDefinition, locale: string): Fragment {
  const { texts, fields } = localizeForm(form, locale);
  const definition = {
    slug: form.slug,
    locale,
    submit_button_text: texts.submitButtonText,
    fields: fields.map(fieldEntry),
    privacy_notice: { text: texts.privacyNoticeText || null, url: texts.privacyNoticeUrl },
  };
  return fragment(JSON.stringify(definition).slice(0, -1));
}

/** A text as it is stored, if it passes the check that it would have to pass today. */
const ifPlain = (text: string | null, isPlain: (text: string) => boolean): string | null =>
  text !== null && isPlain(text) ? text : null;

/** The end of a form definition: how the form stands on one website. */
export function linkFragment(link: LinkConfig): Fragment {
  const appearance = Object.entries(textsOnly(link.appearance)).filter(
    ([name, value]) => name.startsWith('--') && isPlainStyle(value),
  );
  const settings = {
    css_selector: ifPlain(link.cssSelector, namesWebOnly),
    injection_position: link.injectionPosition,
    html_wrapper: ifPlain(link.htmlWrapper, isPlainWrapper),
    appearance: Object.fromEntries(appearance),
  };
  return fragment(`,${JSON.stringify(settings).slice(1)}`);
}

/**
 * Joins the definitions under their keys. Nothing is serialised here: the pieces are.
 *
 * @param configs Key to definition, or to null for a form that is not there. The keys are entries of the
 * query, which need no escaping in JSON.
 */
export function configAnswer(configs: ReadonlyMap<string, FormConfig | null>): ConfigAnswer {
  const pieces: Buffer[] = [];
  const tagged: string[] = [];
  let separator = '{"forms":{';
  for (const [key, config] of configs) {
    pieces.push(Buffer.from(`${separator}"${key}":${config ? '' : 'null'}`));
    tagged.push(key);
    if (config) {
      pieces.push(config.form.json, config.link.json);
      tagged.push(config.form.digest, config.link.digest);
    }
    separator = ',';
  }
  pieces.push(Buffer.from('}}'));
  return { etag: entityTag(tagged), body: Buffer.concat(pieces).toString('latin1') };
}

const NO_LINK: LinkConfig = {
  cssSelector: null,
  injectionPosition: 'inside',
  htmlWrapper: null,
  appearance: {},
};

/** The definition (2.4) of a form as a visitor gets it, on a website whose link sets nothing. */
export function previewDefinition(form: FormDefinition, locale: string): object {
  const pieces = [formFragment(form, locale), linkFragment(NO_LINK)];
  return JSON.parse(pieces.map(({ json }) => json.toString()).join(''));
}
