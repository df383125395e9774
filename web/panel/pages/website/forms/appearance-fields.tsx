import { useIntl } from 'react-intl';
import { useText } from '../../../language.js';
import { ColorField } from '../../../parts/color/color-field.js';
import { hexOf } from '../../../parts/color/css-color.js';
import { TextField } from '../../../parts/fields/text-field.js';
import { AlertIcon } from '../../../parts/icons/alert-icon.js';
import { CheckIcon } from '../../../parts/icons/icons.js';
import { checkAppearance } from './appearance-checks.js';
import styles from './appearance-fields.module.css';

/** The properties of the visitors' script that are colours, with what it takes for each by itself. */
export const COLORS = {
  '--fg-accent': '#1f4fd1',
  '--fg-accent-text': '#ffffff',
  '--fg-error': '#b3261e',
  '--fg-border': '#808080',
  '--fg-background': '#ffffff',
} as const;

export const SIZES = ['--fg-radius', '--fg-gap', '--fg-width', '--fg-font'] as const;

type Props = {
  appearance: Readonly<Record<string, string>>;
  onChange(appearance: Readonly<Record<string, string>>): void;
};

/** The custom properties of a placement: colours with their contrast, sizes, and whatever else it has. */
export function AppearanceFields({ appearance, onChange }: Props) {
  const t = useText();
  const { formatNumber } = useIntl();
  const set = (property: string) => (value: string) => onChange({ ...appearance, [property]: value });
  const others = Object.keys(appearance).filter(
    (property) => !(property in COLORS) && !SIZES.some((size) => size === property),
  );
  const checks = checkAppearance(appearance, hexOf);
  // Cut, not rounded: what is shown as enough is enough.
  const shown = (ratio: number) => formatNumber(Math.floor(ratio * 10) / 10);
  return (
    <fieldset className={styles.fields}>
      <legend>{t('placement.appearance')}</legend>
      <p>{t('placement.appearanceText')}</p>
      {Object.entries(COLORS).map(([property, fallback]) => {
        const label = t(`placement.color.${property as keyof typeof COLORS}`);
        return (
          <ColorField
            key={property}
            name={property}
            label={label}
            pickLabel={t('placement.pick', { color: label })}
            hint={property}
            value={appearance[property] ?? ''}
            swatch={hexOf(appearance[property] ?? '') ?? fallback}
            onChange={set(property)}
          />
        );
      })}
      {checks.length > 0 && (
        <ul className={styles.checks} aria-live="polite">
          {checks.map(({ id, ratio, needed }) => (
            <li key={id} data-low={ratio < needed || undefined}>
              {ratio < needed ? <AlertIcon /> : <CheckIcon />}
              {t(ratio < needed ? 'placement.contrastLow' : 'placement.contrastEnough', {
                pair: t(`placement.contrast.${id}`),
                ratio: shown(ratio),
                needed: formatNumber(needed),
              })}
            </li>
          ))}
        </ul>
      )}
      {SIZES.map((property) => (
        <TextField
          key={property}
          name={property}
          label={t(`placement.size.${property}`)}
          hint={property}
          value={appearance[property] ?? ''}
          onChange={set(property)}
        />
      ))}
      {others.map((property) => (
        <TextField
          key={property}
          name={property}
          label={property}
          value={appearance[property] ?? ''}
          onChange={set(property)}
        />
      ))}
    </fieldset>
  );
}
