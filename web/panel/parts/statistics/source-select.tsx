import { useNavigate } from '@tanstack/react-router';
import { useText } from '../../language.js';
import { Select } from '../fields/select.js';
import { SOURCES, type Source } from './sources.js';

/** Chooses what visits and leads are grouped by, which the address has. */
export function SourceSelect({ value }: { value: Source }) {
  const t = useText();
  const navigate = useNavigate();
  return (
    <Select
      label={t('stats.by')}
      value={value}
      options={SOURCES.map((one) => ({ value: one, text: t(`stats.by.${one}`) }))}
      onChange={(by) =>
        void navigate({
          to: '.',
          search: (search) => ({ ...search, by: by === 'campaign' ? undefined : by }),
        })
      }
    />
  );
}
