import { noInput } from '@payments/kernel'
import { command, download, exportCsv, exportInput, query } from '@payments/platform'
import { offrampsExport, orderIdOf, presentLookup, presentOfframp } from '../entities/offramp.ts'
import { onrampsExport, presentOnramp } from '../entities/onramp.ts'
import { errors } from '../errors.ts'
import { createOfframp, prepareOfframp } from '../orders/offramps.ts'
import { createOnramp, prepareOnramp } from '../orders/onramps.ts'
import { findOfframp, findOnramp, listOfframps, listOnramps, verifyAccount } from '../orders/service.ts'
import { createQuote, prepareQuote, presentQuote } from '../quotes/quotes.ts'
import { banks, currencies } from '../quotes/reference-data.ts'
import {
  AccountToVerify,
  BankList,
  CurrencyCode,
  CurrencyList,
  ListInput,
  NewOfframp,
  NewOnramp,
  NewSellQuote,
  Offramp,
  OfframpList,
  OfframpLookup,
  OfrId,
  Onramp,
  OnrampId,
  OnrampList,
  OrderId,
  SellQuote,
  VerifiedAccount,
} from '../schemas.ts'

const FIAT = 'Local fiat'
const OFFRAMPS = 'Offramps'
const ONRAMPS = 'Onramps'
const provider = [errors.fiat_provider_failed, errors.fiat_provider_unavailable]
const NEWEST = 'At most 200, newest first. `total` counts all.'

export const fiatRouter = {
  currencies: query({
    rest: 'GET /fiat/currencies',
    access: 'read',
    tag: FIAT,
    summary: 'List fiat currencies',
    description: 'The currencies that are available now, with their limits and corridors.',
    message: 'Currencies retrieved',
    input: noInput,
    output: CurrencyList,
    errors: provider,
    unchanging: true,
    run: (context) => currencies(context),
  }),
  banks: query({
    rest: 'GET /fiat/currencies/{code}/banks',
    access: 'read',
    tag: FIAT,
    summary: 'List the banks and mobile money services of a currency',
    description: '`accountRule` says how the account numbers of each are written.',
    message: 'Banks retrieved',
    input: CurrencyCode,
    output: BankList,
    errors: [errors.fiat_currency_not_found, ...provider],
    unchanging: true,
    run: (context, { code }) => banks(context, code),
  }),
  verifyAccount: command({
    rest: 'POST /fiat/accounts/verify',
    access: 'read',
    tag: FIAT,
    summary: 'Verify a bank account',
    description:
      'Asks the bank for the name of the holder. Many banks outside Nigeria do not return it: the account is then `unresolved`. A bank that does not answer in 20 s is a 503; its answer is stored when it comes, so the next request finds it.',
    message: 'Account checked',
    input: AccountToVerify,
    output: VerifiedAccount,
    errors: provider,
    before: verifyAccount,
    run: async (_unit, _input, verified) => verified,
  }),
  sellQuote: command({
    rest: 'POST /fiat/quotes/sell',
    access: 'read',
    tag: FIAT,
    summary: 'Quote the sale of stablecoin for local fiat',
    description: 'An offramp that names the quote takes its rate and fee, or is refused; never another rate.',
    message: 'Quote created',
    status: 201,
    input: NewSellQuote,
    output: SellQuote,
    errors: provider,
    before: prepareQuote,
    run: async (unit, _input, prepared) => presentQuote(createQuote(unit, prepared)),
  }),
}

export const offrampsRouter = {
  list: query({
    rest: 'GET /offramps',
    access: 'read',
    tag: OFFRAMPS,
    summary: 'List offramps',
    description: NEWEST,
    message: 'Offramps retrieved',
    input: ListInput,
    output: OfframpList,
    async run(context, { customerId }) {
      const { rows, total } = await listOfframps(context, customerId)
      return { offramps: rows.map(presentOfframp), total }
    },
  }),
  create: command({
    rest: 'POST /offramps',
    access: 'write',
    role: 'finance',
    tag: OFFRAMPS,
    summary: 'Create an offramp',
    description:
      'Stablecoin to a bank account. The reply shows the address and the amount of the deposit that starts it. If another amount arrives, that is paid out, less fees, at the same rate.',
    message: 'Offramp created',
    status: 201,
    input: NewOfframp,
    output: Offramp,
    errors: [errors.offramp_reference_used, ...provider],
    callsProvider: true,
    before: prepareOfframp,
    run: async (unit, input, prepared) => presentOfframp(createOfframp(unit, input, prepared)),
  }),
  export: download({
    rest: 'GET /offramps/export',
    access: 'read',
    tag: OFFRAMPS,
    summary: 'Export offramps as CSV',
    description: 'All offramps of a time range, newest first, from one snapshot.',
    message: 'Offramps exported',
    input: exportInput('Created'),
    produces: 'csv',
    filename: () => 'offramps.csv',
    stream: (context, input, signal) => exportCsv(context, offrampsExport, input, signal),
  }),
  get: query({
    rest: 'GET /offramps/{orderId}',
    access: 'read',
    tag: OFFRAMPS,
    summary: 'Get an offramp',
    description: 'The offramp as the list shows it, also beyond the newest 200.',
    message: 'Offramp retrieved',
    input: OrderId,
    output: Offramp,
    errors: [errors.offramp_not_found],
    run: async (context, { orderId }) => presentOfframp(await findOfframp(context, orderId)),
  }),
  lookup: query({
    rest: 'GET /offramp/{id}',
    access: 'read',
    tag: OFFRAMPS,
    summary: 'Look up an offramp by its ofr id',
    description: 'In snake_case, with amounts as numbers. Other operations take the UUID.',
    message: 'Offramp retrieved',
    input: OfrId,
    output: OfframpLookup,
    errors: [errors.offramp_not_found],
    run: async (context, { id }) => presentLookup(await findOfframp(context, orderIdOf(id))),
  }),
}

export const onrampsRouter = {
  list: query({
    rest: 'GET /onramps',
    access: 'read',
    tag: ONRAMPS,
    summary: 'List onramps',
    description: NEWEST,
    message: 'Onramps retrieved',
    input: ListInput,
    output: OnrampList,
    async run(context, { customerId }) {
      const { rows, total } = await listOnramps(context, customerId)
      return { onramps: rows.map(presentOnramp), total }
    },
  }),
  create: command({
    rest: 'POST /onramps',
    access: 'write',
    role: 'finance',
    tag: ONRAMPS,
    summary: 'Create an onramp',
    description: 'Local fiat to stablecoin. The reply shows the account that the payment goes to.',
    message: 'Onramp created',
    status: 201,
    input: NewOnramp,
    output: Onramp,
    errors: [errors.onramp_reference_used, ...provider],
    callsProvider: true,
    before: (context, input) => prepareOnramp(context, input),
    run: async (unit, input, prepared) => presentOnramp(createOnramp(unit, input, prepared)),
  }),
  export: download({
    rest: 'GET /onramps/export',
    access: 'read',
    tag: ONRAMPS,
    summary: 'Export onramps as CSV',
    description: 'All onramps of a time range, newest first, from one snapshot.',
    message: 'Onramps exported',
    input: exportInput('Created'),
    produces: 'csv',
    filename: () => 'onramps.csv',
    stream: (context, input, signal) => exportCsv(context, onrampsExport, input, signal),
  }),
  get: query({
    rest: 'GET /onramps/{orderId}',
    access: 'read',
    tag: ONRAMPS,
    summary: 'Get an onramp',
    description: 'The onramp as the list shows it, also beyond the newest 200.',
    message: 'Onramp retrieved',
    input: OnrampId,
    output: Onramp,
    errors: [errors.onramp_not_found],
    run: async (context, { orderId }) => presentOnramp(await findOnramp(context, orderId)),
  }),
}
