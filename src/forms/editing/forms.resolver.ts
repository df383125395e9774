import { setImmediate as nextTurn } from 'node:timers/promises';
import { GraphQLJSONObject } from 'graphql-scalars';
import {
  Arg,
  Args,
  Authorized,
  Ctx,
  FieldResolver,
  ID,
  Int,
  Mutation,
  Query,
  Resolver,
  Root,
  registerEnumType,
} from 'type-graphql';
import { panelActor } from '../../auth/panel-actor.js';
import { requireRight, teamsInView } from '../../auth/policy.js';
import type { Config } from '../../config.js';
import { conflict, formNotFound, invalid, notFound } from '../../errors.js';
import { MAX_ANSWER } from '../../graphql/answer-bound.js';
import { type Connection, PageArgs, readPage, toConnection } from '../../graphql/connection.js';
import type { ViewerContext } from '../../graphql/context.js';
import { listCost, pageCost, tooCostly } from '../../graphql/cost.js';
import { intId } from '../../graphql/ids.js';
import { readInput } from '../../graphql/read-input.js';
import { label, slug as slugValue } from '../../lib/input.schema.js';
import type { FormContent } from '../definition/form.mapper.js';
import { RecipientRuleType } from '../recipients/recipient-rule.type.js';
import { previewDefinition } from '../serving/form-config.js';
import {
  FormConnection,
  FormFieldType,
  FormTranslationType,
  FormType,
  IncompleteFormType,
  MissingTranslationsType,
  UnenforcedPatternType,
} from './form.type.js';
import { FormInput } from './form-input.type.js';
import { presentFields } from './form-presenter.js';
import { requireForm } from './form-right.js';
import { type CreatedForm, MAX_FORMS, type ManagedForms } from './managed-forms.service.js';
import { readFormInput } from './read-form-input.js';

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

@Resolver(() => FormType)
export class FormsResolver {
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
  @Query(() => FormConnection, {
    description: 'Forms of all the teams that the viewer sees, or of one, sorted by name.',
    complexity: pageCost,
  })
  async forms(
    @Args(() => PageArgs) args: PageArgs,
    @Arg('teamId', () => ID, { nullable: true, description: 'Only those of this team.' })
    teamId: string | null,
    @Arg('search', () => String, { nullable: true, description: 'Part of the name or of the slug.' })
    search: string | null,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<Connection<FormType>> {
    const page = readPage(args, ['string', 'int']);
    const teamIds = teamsInView(viewer, teamId == null ? null : intId(teamId, 'Team'));
    const found = await this.services.managedForms.list({ teamIds, search: search ?? null }, page);
    return toConnection(
      found,
      page,
      ({ name, id }) => [name, id],
      (form) => form,
    );
  }

  @Authorized()
  @Query(() => FormType, { description: 'One form.' })
  form(
    @Arg('id', () => ID, { description: 'The form.' }) id: string,
    @Ctx() context: ViewerContext,
  ): Promise<FormType> {
    return requireForm(this.services.managedForms, context.viewer, id, 'read');
  }

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

  @Authorized()
  @Mutation(() => FormType, {
    description: 'Creates a form with its fields and translations. CONFLICT beyond 1,000 forms of the team.',
  })
  async createForm(
    @Arg('teamId', () => ID, { description: 'The team that it is to belong to.' }) teamId: string,
    @Arg('slug', () => String, { description: 'As pages name it; unique in the team and for good.' })
    slug: string,
    @Arg('input', () => FormInput, { description: 'The form.' }) input: FormInput,
    @Ctx() context: ViewerContext,
  ): Promise<FormType> {
    const team = requireRight(context.viewer, { teamId: intId(teamId, 'Team') }, 'manage', 'Team');
    const content = await this.read(readInput(slugValue, slug, 'slug'), input);
    const actor = panelActor(context);
    return created(await this.services.managedForms.create(team.teamId, content, actor), 'Team');
  }

  @Authorized()
  @Mutation(() => FormType, {
    description:
      'Saves a whole form. Fields are matched by name and options by value. CONFLICT when it is no longer the version that was edited.',
  })
  async saveForm(
    @Arg('id', () => ID, { description: 'The form.' }) id: string,
    @Arg('version', () => Int, { description: 'The version that was edited.' }) version: number,
    @Arg('input', () => FormInput, { description: 'The form as it is to be.' }) input: FormInput,
    @Ctx() context: ViewerContext,
  ): Promise<FormType> {
    const form = await requireForm(this.services.managedForms, context.viewer, id, 'manage');
    const content = await this.read(form.slug, input);
    const saved = await this.services.managedForms.save(form, version, content, panelActor(context));
    if (saved === 'not_found') throw formNotFound();
    if (saved === 'moved_on') throw conflict('The form has been changed meanwhile.');
    return saved.form;
  }

  @Authorized()
  @Mutation(() => FormType, {
    description:
      'Creates a form like another one, on no website yet. CONFLICT beyond 1,000 forms of the team.',
  })
  async duplicateForm(
    @Arg('id', () => ID, { description: 'The form to copy.' }) id: string,
    @Arg('slug', () => String, { description: 'Slug of the copy, unique in the team.' }) slug: string,
    @Arg('name', () => String, { nullable: true, description: 'Name of the copy; null: the same.' })
    name: string | null,
    @Ctx() context: ViewerContext,
  ): Promise<FormType> {
    const form = await requireForm(this.services.managedForms, context.viewer, id, 'manage');
    const copy = {
      slug: readInput(slugValue, slug, 'slug'),
      name: readInput(label.nullish(), name, 'name') ?? null,
    };
    return created(await this.services.managedForms.duplicate(form.id, copy, panelActor(context)), 'Form');
  }

  @Authorized()
  @Mutation(() => Boolean, {
    description: 'Deletes a form and takes it off its websites. CONFLICT while there are submissions of it.',
  })
  async deleteForm(
    @Arg('id', () => ID, { description: 'The form.' }) id: string,
    @Ctx() context: ViewerContext,
  ): Promise<boolean> {
    const form = await requireForm(this.services.managedForms, context.viewer, id, 'manage');
    const outcome = await this.services.managedForms.remove(form, panelActor(context));
    if (outcome === 'not_found') throw formNotFound();
    if (outcome === 'has_submissions') throw conflict('The form has submissions.');
    return true;
  }

  private async content({ id }: FormType, { load }: ViewerContext): Promise<FormContent> {
    const content = await load(this.contentsOf, id);
    if (!content) throw formNotFound();
    return content;
  }

  private async read(slug: string, input: FormInput): Promise<FormContent> {
    return (await readFormInput(slug, input, this.services.config.locales)).content;
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

function created(outcome: CreatedForm, what: string): FormType {
  if (outcome === 'not_found') throw notFound(`${what} not found.`);
  if (outcome === 'too_many') throw conflict(`A team has ${MAX_FORMS} forms at most.`);
  if (outcome === 'slug_taken') throw invalid({ slug: ['is the slug of another form of the team'] });
  return outcome.form;
}
