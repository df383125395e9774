import { createHash } from 'node:crypto';
import type { Placement } from '../../generated/prisma/client.js';
import { entityTag } from '../../http/assets/etag.js';
import { textsOnly } from '../definition/form.mapper.js';
import type { FormDefinition } from '../definition/form-definition.js';
import { configurationLocale, offeredLocales } from '../definition/locales.js';
import { type LocalizedField, localizeForm } from '../definition/translate.js';
import { isPlainStyle, isPlainWrapper, namesWebOnly } from '../placements/placement-markup.js';

/** A serialized piece of an answer. */
type Fragment = Readonly<{ json: Buffer; digest: string }>;

/**
 * A form definition in two pieces: the form in one language, and its placement; with the form's version. `stored` is a
 * digest of the form and the placement as they are stored, with what no definition shows.
 */
export type FormConfig = Readonly<{ version: number; stored: string; form: Fragment; placement: Fragment }>;

/**
 * A serialized answer of the configuration endpoint. The body is a string with one character for each byte, because a
 * string is one memory object and a buffer is four, none of which is in a CPU cache when there are many websites.
 *
 * `versions` has the version of each form, as in `contact=7&quote=3`. It stands beside the body, whose documented shape
 * has no place for it. The entity tag changes with any change to a form, a translation or a placement, whether the body
 * shows it or not (interface, 4.8).
 */
export type ConfigAnswer = Readonly<{ etag: string; body: string; versions: string }>;

/** The placement's part of a definition. */
export type PlacementConfig = Pick<
  Placement,
  'cssSelector' | 'injectionPosition' | 'htmlWrapper' | 'appearance'
>;

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

/** Serializes the first piece of a form definition, which does not depend on the website. */
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

/** Returns a stored text if it passes today's check, else null. */
const ifPlain = (text: string | null, isPlain: (text: string) => boolean): string | null =>
  text !== null && isPlain(text) ? text : null;

/** Serializes the second piece of a form definition, its placement on one website. */
export function placementFragment(placement: PlacementConfig): Fragment {
  const appearance = Object.entries(textsOnly(placement.appearance)).filter(
    ([name, value]) => name.startsWith('--') && isPlainStyle(value),
  );
  const settings = {
    css_selector: ifPlain(placement.cssSelector, namesWebOnly),
    injection_position: placement.injectionPosition,
    html_wrapper: ifPlain(placement.htmlWrapper, isPlainWrapper),
    appearance: Object.fromEntries(appearance),
  };
  return fragment(`,${JSON.stringify(settings).slice(1)}`);
}

/**
 * Joins the definitions under their keys, from pieces that are already serialized.
 *
 * @param configs Key to definition, or to null for a form that does not exist. The keys are entries of the
 * query, which need no escaping in JSON.
 */
export function configAnswer(configs: ReadonlyMap<string, FormConfig | null>): ConfigAnswer {
  const pieces: Buffer[] = [];
  const tagged: string[] = [];
  const versions = new URLSearchParams();
  let separator = '{"forms":{';
  for (const [key, config] of configs) {
    pieces.push(Buffer.from(`${separator}"${key}":${config ? '' : 'null'}`));
    tagged.push(key);
    if (config) {
      pieces.push(config.form.json, config.placement.json);
      tagged.push(config.form.digest, config.placement.digest, config.stored);
      versions.set(key.slice(0, key.indexOf('~')), String(config.version));
    }
    separator = ',';
  }
  pieces.push(Buffer.from('}}'));
  return {
    etag: entityTag(tagged),
    body: Buffer.concat(pieces).toString('latin1'),
    versions: versions.toString(),
  };
}

const DEFAULT_PLACEMENT: PlacementConfig = {
  cssSelector: null,
  injectionPosition: 'inside',
  htmlWrapper: null,
  appearance: {},
};

/**
 * Builds the definition of a form as visitors get it.
 *
 * @param requested The requested language.
 * @param place The website that shows it; null: one in the form's language, whose placement sets nothing.
 */
export function previewDefinition(
  form: FormDefinition,
  requested: string,
  {
    place,
    platformLocales,
  }: Readonly<{
    place: Readonly<{ website: { locale: string }; placement: PlacementConfig }> | null;
    platformLocales: readonly string[];
  }>,
): object {
  const locale = configurationLocale(requested, {
    offered: offeredLocales(form),
    source: form.sourceLocale,
    websiteLocale: place?.website.locale ?? form.sourceLocale,
    platformLocales,
  });
  const pieces = [formFragment(form, locale), placementFragment(place?.placement ?? DEFAULT_PLACEMENT)];
  return JSON.parse(pieces.map(({ json }) => json.toString()).join(''));
}
