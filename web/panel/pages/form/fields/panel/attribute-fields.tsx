import { useState } from 'react';
import { useText } from '../../../../language.js';
import { Button } from '../../../../parts/buttons/button.js';
import { Select } from '../../../../parts/fields/select.js';
import { TextField } from '../../../../parts/fields/text-field.js';
import type { FieldDraft } from '../../queries.js';
import type { Change } from '../../use-draft.js';
import { type Attribute, attributesOf } from '../attributes.js';
import styles from '../field-panel.module.css';
import { setAttribute } from '../recipes.js';

/** What browsers fill in by themselves, of what forms usually ask for. */
const AUTOCOMPLETE = [
  'name',
  'given-name',
  'family-name',
  'organization',
  'email',
  'tel',
  'street-address',
  'postal-code',
  'address-level2',
  'country-name',
  'url',
  'off',
] as const;

const NUMBERS: readonly Attribute[] = ['minlength', 'maxlength', 'rows'];

type Props = Readonly<{ field: FieldDraft; change: Change }>;

/** The attributes that the type of a field offers, and any other that it has. */
export function AttributeFields({ field, change }: Props) {
  const t = useText();
  const { name, type, attributes } = field;
  const offered = attributesOf(type);
  const others = Object.keys(attributes).filter((attribute) => !offered.some((one) => one === attribute));
  const setOffered = (attribute: string) => (value: string) =>
    change(setAttribute(name, attribute, value === '' ? null : value));
  const ownType = type === 'date' || type === 'time' ? type : undefined;
  return (
    <div className={styles.part}>
      {offered.length + others.length > 0 && <h3>{t('form.attributes.title')}</h3>}
      <div className={styles.pair}>
        {offered.map((attribute) =>
          attribute === 'autocomplete' ? (
            <Autocomplete
              key={attribute}
              value={attributes.autocomplete ?? ''}
              onChange={setOffered(attribute)}
            />
          ) : (
            <TextField
              key={attribute}
              name={`attributes.${attribute}`}
              label={t(`form.attribute.${attribute}`)}
              hint={attribute === 'pattern' ? t('form.attribute.patternHint') : undefined}
              type={attribute === 'min' || attribute === 'max' ? ownType : undefined}
              inputMode={NUMBERS.includes(attribute) ? 'numeric' : undefined}
              autoComplete="off"
              maxLength={1000}
              value={attributes[attribute] ?? ''}
              onChange={setOffered(attribute)}
            />
          ),
        )}
      </div>
      {others.map((attribute) => (
        <div key={attribute} className={styles.pair}>
          <TextField
            name={`attributes.${attribute}`}
            label={attribute}
            autoComplete="off"
            maxLength={1000}
            value={attributes[attribute] ?? ''}
            onChange={(value) => change(setAttribute(name, attribute, value.trimStart()))}
          />
          <div className={styles.remove}>
            <Button
              aria-label={t('form.attributes.remove', { attribute })}
              onPress={() => change(setAttribute(name, attribute, null))}
            >
              {t('form.field.remove')}
            </Button>
          </div>
        </div>
      ))}
      <OtherAttribute
        field={name}
        taken={Object.keys(attributes)}
        onAdd={(attribute, value) => change(setAttribute(name, attribute, value))}
      />
    </div>
  );
}

function Autocomplete({ value, onChange }: { value: string; onChange(value: string): void }) {
  const t = useText();
  const known = AUTOCOMPLETE.map((one) => ({ value: one as string, text: t(`form.autocomplete.${one}`) }));
  const isKnown = value === '' || known.some((one) => one.value === value);
  return (
    <Select
      label={t('form.attribute.autocomplete')}
      value={value || 'none'}
      options={[
        { value: 'none', text: t('form.autocomplete.none') },
        ...known,
        ...(isKnown ? [] : [{ value, text: value }]),
      ]}
      onChange={(chosen) => onChange(chosen === 'none' ? '' : chosen)}
    />
  );
}

type OtherProps = {
  field: string;
  taken: readonly string[];
  onAdd(attribute: string, value: string): void;
};

const NOTHING = { attribute: '', value: '' };

/** Adds an attribute of HTML by its name. */
function OtherAttribute({ field, taken, onAdd }: OtherProps) {
  const t = useText();
  const [open, setOpen] = useState<string | null>(null);
  const [{ attribute, value }, setTyped] = useState(NOTHING);
  // What is half typed is of the field that was edited then.
  if (open !== null && open !== field) {
    setOpen(null);
    setTyped(NOTHING);
  }
  const fault = /^[a-z][a-z0-9-]{0,99}$/.test(attribute) ? null : t('fault.attributeName');
  if (open !== field) {
    return (
      <div>
        <Button variant="quiet" onPress={() => setOpen(field)}>
          {t('form.attributes.other')}
        </Button>
      </div>
    );
  }
  return (
    <div className={styles.pair}>
      <TextField
        name="other"
        label={t('form.attributes.name')}
        autoFocus
        autoComplete="off"
        value={attribute}
        validate={() => fault}
        onChange={(text) => setTyped({ attribute: text, value })}
      />
      <TextField
        name="otherValue"
        label={t('form.attributes.value')}
        autoComplete="off"
        maxLength={1000}
        value={value}
        onChange={(text) => setTyped({ attribute, value: text })}
      />
      <div className={styles.remove}>
        <Button
          isDisabled={fault !== null || taken.includes(attribute)}
          onPress={() => {
            onAdd(attribute, value.trim());
            setTyped(NOTHING);
            setOpen(null);
          }}
        >
          {t('form.attributes.add')}
        </Button>
      </div>
    </div>
  );
}
