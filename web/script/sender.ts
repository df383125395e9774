import { createSolver } from './captcha.js';
import { createKey } from './elements.js';
import { type Gateway, type ShownForm, submitPath } from './gateway.js';
import { createPreparation } from './preparation.js';
import { type Outcome, send } from './submission.js';
import { contextFields } from './visitor.js';

/** The website that a form belongs to. */
export type Site = Readonly<{
  gateway: Gateway;
  website: string;
  /** Nonce of the page's content security policy; empty means none. */
  nonce: string;
}>;

export type Sender = Readonly<{
  /** Prepares a submission; called whenever the visitor acts on the form. */
  prepare(): void;
  /** Sends the values of a form in a language. */
  send(values: Readonly<Record<string, unknown>>, locale: string): Promise<Outcome>;
}>;

/** Tells whether the visitor has asked for less data; few browsers know. */
const savesData = (): boolean =>
  (navigator as { connection?: { saveData?: boolean } }).connection?.saveData ?? false;

/**
 * Creates a sender of values. It reuses the idempotency key and the context while the values stay the same, so that a
 * submission whose answer was lost is not recorded twice.
 *
 * @param place where a captcha provider may show its widget.
 */
export function createSender({ gateway, website, nonce }: Site, form: ShownForm, place: HTMLElement): Sender {
  const solve = createSolver({ gateway, place, nonce });
  const path = submitPath(form);
  const preparation = createPreparation({ gateway, path, solve });
  let last: { text: string; idempotencyKey: string; body: Readonly<Record<string, unknown>> } | undefined;

  return {
    prepare() {
      if (!savesData()) preparation.start();
    },
    async send(values, locale) {
      const prepared = preparation.take();
      const text = JSON.stringify(values);
      if (!last || text !== last.text) {
        // A repetition has the context of the first attempt: the gateway refuses a key with another body.
        last = {
          text,
          idempotencyKey: createKey(),
          body: { ...values, ...(await contextFields(website, locale)) },
        };
      }
      const outcome = await send({ ...last, gateway, path, prepared, solve });
      if (!outcome.ok) {
        const { reason, status, code } = outcome;
        console.error(`Formgate: the form "${form.slug}" was not sent: ${reason}, ${status} ${code ?? ''}`);
      }
      return outcome;
    },
  };
}
