import { type Answer, call, type Data, dataOf, type Merchant, START_SESSION, samples } from '../../src/index.ts'
import type { TestService } from '../service/service.ts'
import { sized } from '../size.ts'
import { create, pay } from './create.ts'

/** Payments of the long test with killed workers. */
export const CHECKOUT_PAYMENTS = Number(process.env.CHECKOUT_PAYMENTS ?? sized(96, 16))

export const newCollectionBody = samples.collection.body

/** Creates a collection and returns the response's data. */
export const newCollection = (merchant: Merchant, given: Record<string, unknown> = {}): Promise<Data> =>
  create(merchant, samples.collection, given)

/** A payer's action on a pay route, without a credential. */
export const act = (service: Pick<TestService, 'url'>, id: string, body: Record<string, unknown>): Promise<Answer> =>
  call(service, `POST /v1/pay/${id}`, { body, key: null })

/** Starts a session that is paid with USDC on Ethereum, and returns it. */
export const startSession = (
  service: Pick<TestService, 'url'>,
  id: string,
  given: Record<string, unknown> = {},
): Promise<Data> => dataOf('start', act(service, id, { ...START_SESSION, ...given }))

/** What the payer sees. */
export const payPageOf = async (service: Pick<TestService, 'url'>, id: string): Promise<Data> =>
  (await call(service, `GET /v1/pay/${id}`)).body.data

/** The payer pays in the sandbox: what is missing, or another amount. */
export const paySession = (
  merchant: Merchant,
  id: string,
  given: { amount?: string; currency?: string; networkKey?: string; outcome?: string } = {},
): Promise<void> => pay(merchant, samples.collection, id, given)
