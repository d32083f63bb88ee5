import type { WebhookEvent } from './generated/events.ts'
import type { PaymentsOptions, RequestOptions, Result } from './options.ts'
import { Transport } from './requests/transport.ts'
import { Resources } from './resources.ts'
import { type EventStreamParams, streamEvents } from './stream.ts'
import { type StatusOptions, waitForStatus } from './wait.ts'

/**
 * The payments service. Every operation of its reference is a method of a resource, and returns the `data` of the reply.
 *
 * @example
 * const payments = new Payments({ url: 'http://127.0.0.1:4000', apiKey: process.env.API_KEY })
 * const route = await payments.paymentRoutes.create({
 *   name: 'Treasury',
 *   originChainKey: 'ethereum',
 *   destinationChainKey: 'base',
 *   destinationCurrency: 'USDC',
 *   destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
 * })
 * console.log(route.depositAddress, route.lastResponse.requestId)
 */
export class Payments extends Resources {
  /** @throws TypeError with a sentence that names the option which is wrong */
  constructor(options: PaymentsOptions) {
    super(new Transport(options))
  }

  /**
   * Sends any operation by its method and path below `/v1`, such as one that is newer than this version.
   *
   * @example
   * const customer = await payments.request('POST', '/customers', { name: 'Ada Obi', email: 'ada@example.com' })
   * console.log(customer.lastResponse.status) // 201
   */
  request<T = Record<string, unknown>>(
    method: string,
    path: string,
    params?: object,
    options?: RequestOptions,
  ): Promise<Result<T>> {
    return this.execute<T>(method, path, params, options)
  }

  /**
   * The events of the organisation as they happen, each at least once, for as long as they are read. An interrupted stream goes on where
   * it was: no event is left out. It ends with `break` or with the signal.
   *
   * @example
   * for await (const event of payments.streamEvents({ after: 'start', types: ['swap.created'] })) {
   *   console.log(event.id, event.type)
   *   break
   * }
   */
  streamEvents(params: EventStreamParams = {}, options: RequestOptions = {}): AsyncGenerator<WebhookEvent> {
    return streamEvents(this.transport, params, options)
  }

  /**
   * Waits until an object has one of these statuses, over the event stream, and returns it as the event shows it. Name the statuses of
   * failure as well, so that they end the wait.
   * @throws PaymentsError `timeout` after `timeoutMs`, 10 minutes by default
   *
   * @example
   * const { id } = await payments.swaps.create({ fromCurrency: 'USDC', toCurrency: 'EURC', amount: '100', destinationAddress: wallet })
   * await payments.sandbox.swaps.deposit(id)
   * const swap = await payments.waitFor({ id }, ['completed', 'failed', 'expired'])
   * console.log(swap.status) // completed
   */
  waitFor<T extends { readonly id: string; readonly status?: string }>(
    object: T,
    status: string | readonly string[],
    options: StatusOptions = {},
  ): Promise<T & { readonly status: string }> {
    return waitForStatus(this.transport, object, typeof status === 'string' ? [status] : status, options)
  }
}
