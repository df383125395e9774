import { setImmediate as nextTurn } from 'node:timers/promises';
import { GraphQLJSONObject } from 'graphql-scalars';
import {
  Arg,
  Authorized,
  Ctx,
  FieldResolver,
  ID,
  Query,
  Resolver,
  Root,
  registerEnumType,
} from 'type-graphql';
import { requireRight } from '../../auth/policy.js';
import type { Config } from '../../config.js';
import { formNotFound } from '../../errors.js';
import { MAX_ANSWER } from '../../graphql/answer-bound.js';
import type { ViewerContext } from '../../graphql/context.js';
import { listCost, tooCostly } from '../../graphql/cost.js';
import { intId } from '../../graphql/ids.js';
import type { FormContent } from '../definition/form.mapper.js';
import { RecipientRuleType } from '../recipients/recipient-rule.type.js';
import { previewDefinition } from '../serving/form-config.js';
import {
  FormFieldType,
  FormTranslationType,
  FormType,
  IncompleteFormType,
  MissingTranslationsType,
  UnenforcedPatternType,
} from './form.type.js';
import { presentFields } from './form-presenter.js';
import type { ManagedForms } from './managed-forms.service.js';

enum LocaleSet {
  OFFERED = 'OFFERED',
  PLATFORM = 'PLATFORM',
}

registerEnumType(LocaleSet, {
  name: 'LocaleSet',
  description: 'In which languages a form should be complete.',
  valuesConfig: {
    OFFERED: { description: 'In those that the form offers.' },
    PLATFORM: { description: 'In all languages of the platform.' },
  },
});

const AGAINST = { defaultValue: LocaleSet.OFFERED, description: 'In which languages it should be complete.' };

type Services = Readonly<{ managedForms: ManagedForms; config: Pick<Config, 'locales'> }>;

/** What forms contain, read for all forms of a request at once, and what their translations lack. */
@Resolver(() => FormType)
export class FormContentsResolver {
  /** Batches of a request's forms. They stay the same function, by which a request knows what it has loaded. */
  private readonly contentsOf = async (ids: readonly number[]) =>
    inBounds(await this.services.managedForms.contentsOf(ids, MAX_ANSWER));

  private readonly fieldsOf = async (ids: readonly number[]): Promise<(FormFieldType[] | null)[]> => {
    const presented: (FormFieldType[] | null)[] = [];
    for (const content of await this.contentsOf(ids)) {
      if (presented.length > 0) await nextTurn();
      presented.push(content && presentFields(content));
    }
    return presented;
  };

  private readonly missingOf = {
    [LocaleSet.OFFERED]: (ids: readonly number[]) => this.loadMissing(ids, LocaleSet.OFFERED),
    [LocaleSet.PLATFORM]: (ids: readonly number[]) => this.loadMissing(ids, LocaleSet.PLATFORM),
  };

  constructor(private readonly services: Services) {}

  @Authorized()
  @Query(() => [IncompleteFormType], {
    description:
      'The forms of a team that lack translations, by slug. OPERATION_TOO_COSTLY when they lack more than 100,000 texts.',
    complexity: listCost(100),
  })
  async missingTranslations(
    @Arg('teamId', () => ID, { description: 'The team.' }) teamId: string,
    @Arg('against', () => LocaleSet, AGAINST) against: LocaleSet,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<IncompleteFormType[]> {
    const team = requireRight(viewer, { teamId: intId(teamId, 'Team') }, 'read', 'Team');
    const { managedForms } = this.services;
    return inBounds(await managedForms.incompleteOfTeam(team.teamId, this.completeness(against)));
  }

  @FieldResolver(() => [String], {
    description: 'The languages that it offers: its source, then those it is translated into.',
  })
  async locales(@Root() { id, sourceLocale }: FormType, @Ctx() { load }: ViewerContext): Promise<string[]> {
    const translations = await load(this.services.managedForms.translationsOf, id);
    return [...new Set([sourceLocale, ...translations.map(({ locale }) => locale)])];
  }

  @FieldResolver(() => [RecipientRuleType], {
    description: 'Recipients by answer, unless a placement has rules of its own.',
    complexity: listCost(5),
  })
  async recipientRules(
    @Root() { id }: FormType,
    @Ctx() { load }: ViewerContext,
  ): Promise<RecipientRuleType[]> {
    const rules = await load(this.services.managedForms.recipientRulesOf, id);
    if (!rules) throw formNotFound();
    return rules;
  }

  @FieldResolver(() => [FormFieldType], {
    description:
      'Its fields, in order. OPERATION_TOO_COSTLY when all forms asked for have more than 100,000 fields, options and translations.',
    complexity: listCost(15),
  })
  async fields(@Root() { id }: FormType, @Ctx() { load }: ViewerContext): Promise<FormFieldType[]> {
    const fields = await load(this.fieldsOf, id);
    if (!fields) throw formNotFound();
    return fields;
  }

  @FieldResolver(() => [FormTranslationType], {
    description: 'Its own texts in the other languages that it offers.',
    complexity: listCost(5),
  })
  translations(@Root() { id }: FormType, @Ctx() { load }: ViewerContext): Promise<FormTranslationType[]> {
    return load(this.services.managedForms.translationsOf, id);
  }

  @FieldResolver(() => GraphQLJSONObject, {
    description:
      'The definition as a visitor gets it from `forms/config`, on a website whose placement sets nothing.',
    deprecationReason: 'Use previewForm.',
    complexity: listCost(15),
  })
  async preview(
    @Root() form: FormType,
    @Arg('locale', () => String, { description: 'The requested language.' }) locale: string,
    @Ctx() context: ViewerContext,
  ): Promise<object> {
    const { locales: platformLocales } = this.services.config;
    return previewDefinition(await this.content(form, context), locale, { place: null, platformLocales });
  }

  @FieldResolver(() => [MissingTranslationsType], {
    name: 'missingTranslations',
    description: 'The texts that it lacks, for each language that lacks any.',
    complexity: listCost(15),
  })
  missing(
    @Root() { id }: FormType,
    @Arg('against', () => LocaleSet, AGAINST) against: LocaleSet,
    @Ctx() { load }: ViewerContext,
  ): Promise<MissingTranslationsType[]> {
    return load(this.missingOf[against], id);
  }

  @FieldResolver(() => [UnenforcedPatternType], {
    description: 'The patterns that the gateway does not enforce. Saving the form again refuses them.',
    complexity: listCost(15),
  })
  async unenforcedPatterns(
    @Root() { id }: FormType,
    @Ctx() { load }: ViewerContext,
  ): Promise<readonly UnenforcedPatternType[]> {
    return (await load(this.services.managedForms.patternFaultsOf, id)) ?? [];
  }

  private async content({ id }: FormType, { load }: ViewerContext): Promise<FormContent> {
    const content = await load(this.contentsOf, id);
    if (!content) throw formNotFound();
    return content;
  }

  private async loadMissing(
    ids: readonly number[],
    against: LocaleSet,
  ): Promise<MissingTranslationsType[][]> {
    return inBounds(await this.services.managedForms.missingTranslationsOf(ids, this.completeness(against)));
  }

  private completeness(against: LocaleSet) {
    const locales = against === LocaleSet.PLATFORM ? this.services.config.locales : null;
    return { locales, maxTexts: MAX_ANSWER };
  }
}

/** @throws the error for an operation that asks for too much, when forms are too large together. */
function inBounds<Value>(found: Value | 'too_large'): Value {
  if (found !== 'too_large') return found;
  throw tooCostly(`The forms have more than ${MAX_ANSWER} fields and texts together. Ask for fewer at once.`);
}
