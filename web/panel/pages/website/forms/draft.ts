import type { RecipientRule } from '../../../../../src/forms/recipients/recipient-rules.js';
import type { GatewayError, VariablesOf } from '../../../graphql.js';
import type { useText } from '../../../language.js';
import { addressesOf } from '../../../parts/recipients/addresses.js';
import type { Placement, SAVE } from '../../../placements.js';

/** A placement while it is edited; what is empty takes the form's, or its default. */
export type PlacementDraft = Readonly<{
  enabled: boolean;
  cssSelector: string;
  htmlWrapper: string;
  confirmationMessage: string;
  /** One address a line. */
  recipients: string;
  recipientRules: readonly RecipientRule[];
  appearance: Readonly<Record<string, string>>;
}>;

type Input = VariablesOf<typeof SAVE>['input'];

/** The settings of a placement that can be edited. */
type Settings = Pick<
  Placement,
  | 'enabled'
  | 'cssSelector'
  | 'htmlWrapper'
  | 'confirmationMessage'
  | 'recipients'
  | 'recipientRules'
  | 'appearance'
>;

export const draftOf = (placement: Settings): PlacementDraft => ({
  enabled: placement.enabled,
  cssSelector: placement.cssSelector ?? '',
  htmlWrapper: placement.htmlWrapper ?? '',
  confirmationMessage: placement.confirmationMessage ?? '',
  recipients: placement.recipients.join('\n'),
  recipientRules: placement.recipientRules as RecipientRule[],
  appearance: placement.appearance as Record<string, string>,
});

export const inputOf = (draft: PlacementDraft) =>
  ({
    enabled: draft.enabled,
    injectionPosition: 'inside',
    cssSelector: draft.cssSelector.trim() || null,
    htmlWrapper: draft.htmlWrapper.trim() || null,
    confirmationMessage: draft.confirmationMessage.trim() || null,
    recipients: addressesOf(draft.recipients),
    recipientRules: [...draft.recipientRules],
    appearance: Object.fromEntries(
      Object.entries(draft.appearance)
        .map(([property, value]) => [property, value.trim()] as const)
        .filter(([, value]) => value !== ''),
    ),
  }) satisfies Input;

/** Says the rule that each refused setting has broken; a property of the appearance goes by its own name. */
export function placementFaults(
  { fields }: Pick<GatewayError, 'fields'>,
  t: ReturnType<typeof useText>,
): Readonly<Record<string, string>> {
  const rules = Object.entries(fields).flatMap(([path, messages]): [string, string][] => {
    const [, setting, property] = path.split('.');
    // The rules say theirs themselves, each at its place.
    if (setting === 'recipientRules') return [[path, messages.join(' ')]];
    if (setting === 'appearance') return [[property ?? setting, t('placement.rule.appearance')]];
    if (setting === 'cssSelector' || setting === 'htmlWrapper' || setting === 'recipients') {
      return [[setting, t(`placement.rule.${setting}`)]];
    }
    return setting === 'confirmationMessage' ? [[setting, t('placement.rule.confirmationMessage')]] : [];
  });
  return Object.fromEntries(rules);
}
