import { fiatErrors } from '@payments/fiat'
import { command, download, query } from '@payments/platform'
import { routesErrors } from '@payments/routes'
import type { z } from 'zod'
import { errors } from '../errors.ts'
import { findTarget, payPage } from '../payer/payer.ts'
import { presentPaySession } from '../present.ts'
import { CollectionId, EmbedTheme, PayAction, PayPage, PaySession } from '../schemas.ts'
import { cancel, type PreparedStart, prepareStart, refresh, start } from '../sessions/sessions.ts'
import { pageEvents } from './stream.ts'

const tag = 'Pay page'

/** What was done, for people. */
const DONE = {
  start: 'Checkout session started',
  refresh: 'Checkout session retrieved',
  cancel: 'Checkout session cancelled',
} as const satisfies Record<z.output<typeof PayAction>['action'], string>

/** Operations for payers: without a credential, from any origin. A publishable key may be sent to read. */
export const payRouter = {
  get: query({
    rest: 'GET /pay/{collectionId}',
    access: 'public',
    tag,
    summary: 'Get a pay page',
    description:
      'What a payer may see of a link, invoice, checkout or session. Creates nothing. With a publishable key, only your own are found.',
    message: 'Pay page retrieved',
    input: CollectionId,
    output: PayPage,
    errors: [errors.collection_not_found, errors.payments_unavailable],
    run: (context, { collectionId }) => payPage(context, collectionId),
  }),
  act: command({
    rest: 'POST /pay/{collectionId}',
    access: 'payer',
    tag,
    summary: 'Pay a collection',
    description:
      '`start` gives a checkout session: an address and an amount, held for 15 minutes; with the method `bank_transfer` a bank account too. At most 120 sessions of one link are open for a client address. A start of an invoice or checkout with the choice of an open unpaid session of the same client address gets that session again, and so does one that names its own open session.',
    message: 'Checkout session retrieved',
    messageOf: ({ action }) => DONE[action as z.output<typeof PayAction>['action']],
    input: PayAction,
    output: PaySession,
    errors: [
      errors.collection_not_found,
      errors.payments_unavailable,
      errors.collection_closed,
      errors.session_not_cancellable,
      errors.too_many_sessions,
      errors.price_unavailable,
      errors.session_not_payable,
      fiatErrors.fiat_provider_failed,
      fiatErrors.fiat_provider_unavailable,
      routesErrors.refund_address_missing,
      routesErrors.deposit_address_used,
      routesErrors.provider_failed,
      routesErrors.provider_unavailable,
    ],
    callsProvider: true,
    before: async (context, input, call): Promise<PreparedStart | undefined> =>
      input.action === 'start' ? prepareStart(context, input, call) : undefined,
    async run(unit, input, prepared) {
      const session = prepared
        ? await start(unit, input, prepared)
        : await (input.action === 'cancel' ? cancel : refresh)(unit, input)
      return presentPaySession(session)
    },
  }),
  stream: download({
    rest: 'GET /pay/{collectionId}/stream',
    access: 'public',
    tag,
    summary: 'Watch a pay page',
    description:
      'Server-sent events: each `page` event has the data of `GET /pay/{collectionId}`, first the present state, then every change; a `ping` says that the stream is still open. `Last-Event-ID` resumes a stream. The number of streams of a client address is limited.',
    message: 'Pay page watched',
    input: CollectionId,
    produces: 'event-stream',
    errors: [errors.collection_not_found, errors.payments_unavailable, errors.too_many_streams],
    stream: (context, { collectionId }, signal, call) => pageEvents(context, collectionId, signal, call),
  }),
  embedConfig: query({
    rest: 'GET /pay/{collectionId}/embed-config',
    access: 'public',
    tag,
    summary: 'Get the theme of a pay page',
    description: 'A checkout session has the theme of its link.',
    message: 'Embed configuration retrieved',
    input: CollectionId,
    output: EmbedTheme,
    errors: [errors.collection_not_found],
    async run(context, { collectionId }) {
      const { collection } = await findTarget(context, collectionId)
      return { linkId: collection.id, embedConfig: collection.embedConfig }
    },
  }),
}
